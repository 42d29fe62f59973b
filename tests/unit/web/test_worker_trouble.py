"""Tests a worker when something fails: the database, the disk, or the worker itself."""

import errno
from dataclasses import replace
from threading import Event

import pytest
from django.db import DataError, OperationalError

from judge.report import Report
from problems.vocabulary import Verdict
from tests.unit.web.test_worker import in_background, verdict_of, wait_until
from web.jobs.models import JobState
from web.submissions import services
from web.submissions.models import Job
from worker import disk_space, final_write, heartbeat
from worker.heartbeat import Heartbeat
from worker.judge_handle import JudgeHandle
from worker.judging import judge_next
from worker.shutdown import GracefulShutdown

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(heartbeat, "INTERVAL_S", 0.05)
    monkeypatch.setattr(final_write, "AGAIN_S", 0.05)


@pytest.fixture
def outage(monkeypatch):
    """`outage("record")` makes services fail as if the database were gone, until the event is set."""
    back = Event()

    def start(*names: str) -> Event:
        for name in names:
            real = getattr(services.queue, name)

            def call(*values, _real=real, **options):
                if not back.is_set():
                    raise OperationalError("server closed the connection unexpectedly")
                return _real(*values, **options)

            monkeypatch.setattr(services.queue, name, call)
        return back

    return start


class Troubled(JudgeHandle):
    """A host whose judge does as `evaluate` says."""

    def __init__(self, evaluate) -> None:
        super().__init__()
        self._evaluate = evaluate

    def judge(self):
        judge = super().judge()
        if judge is not None:
            judge.evaluate = self._evaluate
        return judge


def full_disk(*_: object, **__: object) -> Report:
    raise OSError(errno.ENOSPC, "No space left on device", "/tmp/artifact")


def test_a_verdict_is_kept_while_the_database_is_away(owner, handed_in, outage):
    submission = handed_in(owner, source="wrong_answer")
    back = outage("record", "add_event", "extend_lease")
    worker = in_background(lambda: judge_next(JudgeHandle()))
    wait_until(lambda: Job.objects.get().state == JobState.LEASED)
    assert worker.is_alive()
    back.set()
    worker.join()
    assert verdict_of(submission) == "wrong_answer"
    assert Job.objects.get().attempt == 1


def test_a_verdict_is_kept_no_longer_than_its_lease(owner, handed_in, outage, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, lease_s=1)
    submission = handed_in(owner)
    back = outage("record", "extend_lease")
    judge_next(JudgeHandle())  # returns though the database never came back
    back.set()
    assert verdict_of(submission) is None
    wait_until(lambda: services.sweep().requeued == 1)
    judge_next(JudgeHandle())
    assert verdict_of(submission) == "accepted"


def test_sandboxes_are_killed_when_the_lease_runs_out_unheard(owner, handed_in, outage, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, lease_s=1)
    submission = handed_in(owner, source="sleep=60")
    outage("extend_lease")
    worker = in_background(lambda: judge_next(JudgeHandle()))
    worker.join(timeout=10)
    assert not worker.is_alive()
    assert verdict_of(submission) is None


def test_progress_that_cannot_be_told_is_left_out(owner, handed_in, outage):
    submission = handed_in(owner)
    outage("add_event")
    judge_next(JudgeHandle())
    assert verdict_of(submission) == "accepted"
    kinds = list(submission.events.values_list("sequence", "kind"))
    assert kinds == [(1, "queued"), (2, "claimed"), (3, "finished")]


def test_a_database_that_is_away_gives_nothing_to_judge(owner, handed_in, outage):
    submission = handed_in(owner)
    back = outage("claim")
    judge_next(JudgeHandle())
    back.set()
    judge_next(JudgeHandle())
    assert verdict_of(submission) == "accepted"


def test_a_package_that_cannot_be_read_now_is_no_failure(owner, handed_in, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, max_tries=1)
    submission = handed_in(owner)

    def unread(*_: object, **__: object) -> Report:
        raise OperationalError("server closed the connection unexpectedly")

    judge_next(Troubled(unread))
    assert Job.objects.get().tries == 0
    judge_next(JudgeHandle())
    assert verdict_of(submission) == "accepted"


def test_a_report_that_the_database_refuses_is_our_failure(owner, handed_in, monkeypatch, settings):
    settings.WARPCOURT = replace(settings.WARPCOURT, max_tries=2)
    submission = handed_in(owner)

    def refuse(*_: object) -> bool:
        raise DataError("invalid byte sequence")

    monkeypatch.setattr(services.queue, "record", refuse)
    for _ in range(2):
        assert verdict_of(submission) is None
        judge_next(JudgeHandle())
    assert verdict_of(submission) == "internal_error"


def test_a_heartbeat_survives_whatever_it_meets(owner, handed_in, monkeypatch):
    submission = handed_in(owner, source="sleep=0.5")
    met = []

    def fail(_: object) -> services.Hold:
        met.append(True)
        raise RuntimeError("nobody thought of this")

    monkeypatch.setattr(services.queue, "extend_lease", fail)
    judge_next(JudgeHandle())
    assert len(met) > 1
    assert verdict_of(submission) == "accepted"


def test_a_worker_that_stops_takes_nothing(owner, handed_in):
    handed_in(owner)
    stop = GracefulShutdown()
    stop.ask(grace_s=60)
    judge_next(JudgeHandle(), stop)
    assert Job.objects.get().attempt == 0


def test_a_worker_that_stops_finishes_within_its_grace(owner, handed_in):
    submission = handed_in(owner, source="sleep=0.5")
    stop = GracefulShutdown()
    worker = in_background(lambda: judge_next(JudgeHandle(), stop))
    wait_until(lambda: Job.objects.get().state == JobState.LEASED)
    stop.ask(grace_s=60)
    worker.join()
    assert verdict_of(submission) == "accepted"


def test_after_its_grace_it_returns_the_job_at_once_and_charges_no_try(owner, handed_in, wakeups):
    submission = handed_in(owner, source="sleep=60")
    stop = GracefulShutdown()
    worker = in_background(lambda: judge_next(JudgeHandle(), stop))
    wait_until(lambda: Job.objects.get().state == JobState.LEASED)
    wakeups.clear()
    stop.ask(grace_s=0.1)
    worker.join(timeout=10)
    assert not worker.is_alive()
    job = Job.objects.get()
    assert (job.state, job.tries, job.worker) == (JobState.QUEUED, 0, "")
    assert wakeups == ["cpu"]
    assert verdict_of(submission) is None
    claim = services.claim("another")
    assert (claim.attempt, claim.tries) == (2, 1)


def test_what_was_cancelled_is_over_when_its_worker_stops(owner, handed_in):
    submission = handed_in(owner, source="sleep=60")
    claim = services.claim("stopping")
    services.cancel(submission)
    assert services.return_to_queue(claim, failed=False)
    assert verdict_of(submission) == "cancelled"
    assert services.claim("another") is None


def test_a_disk_that_fills_up_is_our_failure_and_the_host_pauses(owner, handed_in, caplog):
    submission = handed_in(owner)
    bench = Troubled(full_disk)
    judge_next(bench)
    job = Job.objects.get()
    assert (job.state, job.tries) == (JobState.QUEUED, 1)
    assert "make room on that disk" in caplog.text
    judge_next(bench)  # it is not tried again at once, on this host
    assert Job.objects.get().attempt == 1
    judge_next(JudgeHandle())
    assert verdict_of(submission) == "accepted"


def test_nothing_is_taken_while_a_disk_is_full_and_at_once_when_it_is_not(
    owner, handed_in, monkeypatch, caplog
):
    submission = handed_in(owner)
    bench = JudgeHandle()
    with monkeypatch.context() as patched:
        patched.setattr(disk_space, "_free_mib", lambda _: 3)
        for _ in range(3):
            judge_next(bench)
    assert Job.objects.get().attempt == 0
    assert caplog.text.count("disk_full") == 1
    assert "3 MiB free" in caplog.text
    judge_next(bench)
    assert verdict_of(submission) == "accepted"
    assert "judging_resumed" in caplog.text


@pytest.mark.parametrize(
    ("verdict", "stored"), [(Verdict.ACCEPTED, "accepted"), (Verdict.WRONG_ANSWER, None)]
)
def test_a_failed_verdict_from_a_full_disk_is_not_believed(owner, handed_in, monkeypatch, verdict, stored):
    submission = handed_in(owner)

    def judge(*_: object, **__: object) -> Report:
        monkeypatch.setattr(disk_space, "_free_mib", lambda _: 0)
        return Report(verdict)

    judge_next(Troubled(judge))
    assert verdict_of(submission) == stored
    assert (Job.objects.get().state == JobState.QUEUED) == (stored is None)


def test_the_beat_that_crosses_the_verdict_is_no_lost_lease(settings):
    """Sent before the verdict was written, answered after it: the lease was ended, by its holder."""
    cancelled, sent, written = Event(), Event(), Event()

    def extend_lease() -> services.Hold:
        sent.set()
        written.wait(10)
        return services.Hold.LOST

    with Heartbeat(extend_lease, cancelled, GracefulShutdown()) as beating:
        assert sent.wait(10)
        written.set()
    assert not beating.lost
    assert not cancelled.is_set()


def test_a_host_that_cannot_judge_tries_again_soon_and_then_ever_later():
    trouble = JudgeHandle()
    assert [trouble.put_off("the engine is away") for _ in range(7)] == [1, 2, 4, 8, 16, 30, 30]


def test_pauses_begin_anew_when_something_was_judged(owner, handed_in):
    trouble = JudgeHandle()
    assert [trouble.put_off("the engine is away") for _ in range(3)] == [1, 2, 4]
    trouble.close()  # and its pause is over
    handed_in(owner)
    judge_next(trouble)
    assert trouble.put_off("the engine is away again") == 1
