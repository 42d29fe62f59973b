"""Tests concurrent claims and verdicts on the same row, on both databases.

`test_postgresql` runs this file again on PostgreSQL.
"""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from judge.report import Report
from problems.vocabulary import Verdict
from web.accounts.models import User
from web.jobs import wakeup
from web.jobs.models import JobState
from web.privacy import deletion
from web.submissions import services
from web.submissions.models import Event, EventKind, Job, Progress, Submission, Tally
from web.submissions.models import Report as StoredReport
from web.submissions.services import job_queue, journal, submitting

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]
THREADS = 8
POSTGRES = "WARPCOURT_DATABASE_URL"


def at_once(work) -> list[Any]:
    """Return the results of `work(index)` in THREADS threads that start together."""
    barrier = Barrier(THREADS)

    def run(index: int):
        try:
            barrier.wait()
            return work(index)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def test_of_many_workers_one_gets_the_job(owner, handed_in):
    for _ in range(5):
        submission = handed_in(owner)
        claims = [claim for claim in at_once(lambda index: services.claim(f"worker {index}")) if claim]
        assert [claim.submission for claim in claims] == [submission]
        services.record(claims[0], Report(Verdict.ACCEPTED))


def test_many_workers_share_many_jobs(owner, handed_in, settings):
    made = {handed_in(owner).pk for _ in range(settings.WARPCOURT.max_in_flight)}
    claims = [claim for claim in at_once(lambda index: services.claim(f"worker {index}")) if claim]
    assert sorted(claim.submission.pk for claim in claims) == sorted(made)


def test_an_expired_lease_is_taken_over_once(owner, handed_in):
    handed_in(owner)
    services.claim("killed")
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    claims = [claim for claim in at_once(lambda index: services.claim(f"worker {index}")) if claim]
    assert [claim.attempt for claim in claims] == [2]


def test_a_verdict_recorded_many_times_is_one(owner, handed_in):
    handed_in(owner)
    claim = services.claim("w")
    verdicts = [*Verdict][:THREADS]
    recorded = at_once(lambda index: services.record(claim, Report(verdicts[index])))
    assert sum(recorded) == 1
    assert StoredReport.objects.count() == 1
    assert Event.objects.filter(kind=EventKind.FINISHED).count() == 1


def test_verdicts_recorded_and_taken_back_at_once_are_all_counted(owner, teammate, handed_in):
    made = [handed_in(user) for user in (owner, teammate) for _ in range(THREADS // 2)]
    # People take turns in being claimed; here they come one after the other.
    claims = sorted((services.claim("w") for _ in made), key=lambda claim: claim.submission.pk)
    verdicts = [Verdict.ACCEPTED, Verdict.WRONG_ANSWER] * (THREADS // 2)
    assert all(at_once(lambda index: services.record(claims[index], Report(verdicts[index]))))
    assert list(Progress.objects.values_list("judged", "accepted")) == [(4, 2), (4, 2)]
    assert list(Tally.objects.values_list("judged", "accepted", "solvers")) == [(8, 4, 2)]
    counted = list(Progress.objects.order_by("user").values_list("user", "solved", "latest"))
    services.recount()
    assert counted == list(Progress.objects.order_by("user").values_list("user", "solved", "latest"))
    assert all(at_once(lambda index: services.rejudge(made[index])))
    assert not Progress.objects.exists()
    assert list(Tally.objects.values_list("judged", "accepted", "solvers")) == [(0, 0, 0)]


def test_an_account_is_deleted_by_several_processes_while_verdicts_are_recorded(
    owner, teammate, handed_in, monkeypatch
):
    monkeypatch.setattr(deletion, "_BATCH", 1)
    monkeypatch.setattr(deletion, "_INTERRUPTED_AFTER", timedelta(0))
    for user in (owner, teammate):
        for _ in range(THREADS // 4):
            handed_in(user)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    claims = [services.claim("w") for _ in range(THREADS // 2 - 1)]

    def act(index: int) -> None:
        if index < len(claims):
            services.record(claims[index], Report(Verdict.ACCEPTED))
        elif index == THREADS - 1:
            deletion.delete_account(owner)
        else:
            for _ in range(5):
                deletion.go_on()

    at_once(act)
    assert not User.objects.filter(pk=owner.pk).exists()
    assert set(Submission.objects.values_list("user", flat=True)) == {teammate.pk}
    assert list(Tally.objects.values_list("judged", "accepted", "solvers")) == [(2, 2, 1)]


def test_cancelling_and_claiming_at_once_leaves_one_story(owner, handed_in):
    for _ in range(5):
        submission = handed_in(owner)
        results = at_once(partial(cancel_or_claim, submission))
        job = Job.objects.get(submission=submission)
        claims = [claim for claim in results[0::2] if claim]
        if claims:
            assert (job.state, job.cancel_requested) == (JobState.LEASED, True)
            services.record(claims[0], Report(Verdict.CANCELLED))
        assert submission.events.filter(kind=EventKind.FINISHED).count() == 1


def cancel_or_claim(submission, index: int):
    return services.cancel(submission) if index % 2 else services.claim("w")


def test_events_written_at_once_are_numbered_without_gaps(owner, handed_in):
    submission = handed_in(owner)
    claim = services.claim("w")
    at_once(lambda index: [services.add_event(claim, EventKind.CASE, {"index": index}) for _ in range(5)])
    numbers = list(submission.events.values_list("sequence", flat=True))
    assert numbers == list(range(1, 2 + THREADS * 5 + 1))


def test_limits_hold_when_many_submit_at_once(owner, handed_in, settings):
    def attempt(_: int) -> bool:
        try:
            handed_in(owner)
        except services.LimitReached:
            return False
        return True

    assert sum(at_once(attempt)) == settings.WARPCOURT.max_in_flight


def test_a_key_used_at_once_makes_one_submission(owner, handed_in):
    made = at_once(lambda _: handed_in(owner, idempotency_key="k").pk)
    assert len(set(made)) == 1


def test_many_sweeps_at_once_queue_a_job_once(owner, handed_in):
    handed_in(owner)
    services.claim("killed")
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert sum(swept.requeued for swept in at_once(lambda _: services.sweep())) == 1
    assert Event.objects.filter(kind=EventKind.RETRIED).count() == 1


def killed(work) -> None:
    """Have a process of its own do `work`, in which it is killed without warning."""
    connections.close_all()  # what is open would be shared with it
    if close_pool := getattr(connection, "close_pool", None):
        close_pool()
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            work()
        os._exit(1)  # it survived
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_site_killed_before_it_committed_leaves_nothing(owner, handed_in, monkeypatch):
    with monkeypatch.context() as doomed:
        doomed.setattr(submitting, "append", die)
        killed(lambda: handed_in(owner))
    assert not Submission.objects.exists()


def test_a_site_killed_between_commit_and_wakeup_leaves_that_to_the_sweep(
    owner, handed_in, wakeups, monkeypatch
):
    with monkeypatch.context() as doomed:
        doomed.setattr(wakeup, "wake", die)
        killed(lambda: handed_in(owner))
    assert Job.objects.get().state == JobState.QUEUED
    later = timezone.now() + timedelta(seconds=6)
    assert [services.sweep(now=later).woken for _ in range(2)] == [1, 1]  # until a worker claims it
    assert services.record(services.claim("w"), Report(Verdict.ACCEPTED))
    assert services.sweep(now=later).woken == 0
    assert wakeups == ["cpu", "cpu"]


def test_a_sweeper_killed_in_the_middle_leaves_the_job_to_the_next(owner, handed_in, monkeypatch):
    handed_in(owner)
    services.claim("lost")
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    with monkeypatch.context() as doomed:
        doomed.setattr(job_queue, "append", die)
        killed(services.sweep)
    assert Job.objects.get().state == JobState.LEASED
    assert services.sweep().requeued == 1
    assert Event.objects.filter(kind=EventKind.RETRIED).count() == 1


def test_a_worker_killed_while_it_records_leaves_no_half_of_a_verdict(owner, handed_in, monkeypatch):
    handed_in(owner)
    claim = services.claim("killed")
    with monkeypatch.context() as doomed:
        doomed.setattr(journal, "settle", die)
        killed(lambda: services.record(claim, Report(Verdict.ACCEPTED)))
    assert not StoredReport.objects.exists()
    assert not Event.objects.filter(kind=EventKind.FINISHED).exists()
    assert services.record(claim, Report(Verdict.ACCEPTED))
    assert list(Tally.objects.values_list("judged", "accepted")) == [(1, 1)]


def test_the_database_is_the_one_that_was_asked_for():
    expected = "postgresql" if POSTGRES in os.environ else "sqlite"
    assert connection.vendor == expected
