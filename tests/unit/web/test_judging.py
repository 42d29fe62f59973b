"""Tests the operations of workers: claim, hold, record, return, sweep."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judge.report import CaseReport, Report
from problems.vocabulary import Group, Mode, Verdict
from web.jobs import wakeup
from web.jobs.models import JobState
from web.submissions import queries, services
from web.submissions.models import CaseResult, Event, EventKind, Job, Submission
from web.submissions.models import Report as StoredReport

pytestmark = pytest.mark.django_db
ACCEPTED = Report(Verdict.ACCEPTED)


def expire_leases() -> None:
    Job.objects.filter(state=JobState.LEASED).update(lease_until=timezone.now() - timedelta(seconds=1))


def verdict_of(submission: Submission) -> str | None:
    return queries.verdict_of(Submission.objects.get(pk=submission.pk))


def test_a_job_is_claimed_once(owner, handed_in):
    submission = handed_in(owner)
    claim = services.claim("first")
    assert claim.submission == submission
    assert claim.attempt == 1
    assert services.claim("second") is None
    job = Job.objects.get()
    assert (job.state, job.worker) == (JobState.LEASED, "first")


def test_nothing_is_claimed_when_nothing_waits(db):
    assert services.claim("worker") is None


def test_runs_go_before_submits_and_both_in_order(owner, handed_in):
    submitted = [handed_in(owner) for _ in range(2)]
    ran = handed_in(owner, mode=Mode.RUN)
    assert [services.claim("w").submission for _ in range(3)] == [ran, *submitted]


def test_a_job_that_asks_for_a_gpu_is_for_those_who_have_it(owner, handed_in, live_gpus):
    live_gpus("NVIDIA H200", "NVIDIA B200")
    asking = handed_in(owner, gpu_model="NVIDIA H200")
    assert services.claim("cpu") is None
    assert services.claim("another", gpu_models=("NVIDIA B200",)) is None
    assert services.claim("fitting", gpu_models=("NVIDIA B200", "NVIDIA H200")).submission == asking


def test_a_worker_with_a_gpu_takes_what_asks_for_none(owner, handed_in):
    submission = handed_in(owner)
    assert services.claim("gpu", gpu_models=("NVIDIA H200",)).submission == submission


def test_an_expired_lease_is_taken_over_by_a_fitting_worker_only(owner, handed_in, live_gpus):
    live_gpus("NVIDIA H200")
    handed_in(owner, gpu_model="NVIDIA H200")
    services.claim("lost", gpu_models=("NVIDIA H200",))
    expire_leases()
    assert services.claim("cpu") is None
    assert services.claim("fitting", gpu_models=("NVIDIA H200",)).attempt == 2


def test_an_expired_lease_may_be_taken_over(owner, handed_in):
    handed_in(owner)
    first = services.claim("first")
    expire_leases()
    second = services.claim("second")
    assert (second.attempt, second.tries) == (2, 2)
    assert services.extend_lease(first) is services.Hold.LOST
    assert services.extend_lease(second) is services.Hold.HELD


def test_a_verdict_comes_with_its_cases_and_the_final_event(owner, handed_in):
    submission = handed_in(owner)
    cases = (
        CaseReport("example", Group.SAMPLE, public=True, verdict=Verdict.ACCEPTED, wall_ms=1.5),
        CaseReport("prime", Group.ODD, public=False, verdict=Verdict.WRONG_ANSWER),
    )
    assert services.record(
        services.claim("w"), Report(Verdict.WRONG_ANSWER, "Case odd 1 is wrong.", cases=cases)
    )
    assert verdict_of(submission) == "wrong_answer"
    assert list(CaseResult.objects.values_list("name", "verdict")) == [
        ("example", "accepted"),
        ("prime", "wrong_answer"),
    ]
    last = Event.objects.last()
    assert last.kind == EventKind.FINISHED
    assert last.payload == {"verdict": "wrong_answer", "text": "Case odd 1 is wrong."}


def test_a_verdict_is_recorded_once(owner, handed_in):
    handed_in(owner)
    claim = services.claim("w")
    assert services.record(claim, ACCEPTED)
    assert not services.record(claim, Report(Verdict.WRONG_ANSWER))
    assert StoredReport.objects.get().verdict == "accepted"


def test_the_verdict_of_a_stale_attempt_is_discarded(owner, handed_in):
    submission = handed_in(owner)
    stale = services.claim("paused")
    expire_leases()
    fresh = services.claim("fresh")
    assert not services.record(stale, Report(Verdict.WRONG_ANSWER))
    assert verdict_of(submission) is None
    assert services.record(fresh, ACCEPTED)
    assert not services.record(stale, Report(Verdict.WRONG_ANSWER))
    assert verdict_of(submission) == "accepted"
    assert Event.objects.filter(kind=EventKind.FINISHED).count() == 1


def test_a_stale_attempt_tells_nothing_and_hands_nothing_back(owner, handed_in):
    handed_in(owner)
    stale = services.claim("paused")
    expire_leases()
    fresh = services.claim("fresh")
    with pytest.raises(services.LeaseLost):
        services.add_event(stale, EventKind.COMPILED, {})
    assert not services.return_to_queue(stale, failed=True)
    assert services.extend_lease(fresh) is services.Hold.HELD


def test_events_are_numbered_without_gaps(owner, handed_in):
    submission = handed_in(owner)
    claim = services.claim("w")
    for index in range(3):
        services.add_event(claim, EventKind.CASE, {"index": index})
    services.record(claim, ACCEPTED)
    assert list(submission.events.values_list("sequence", flat=True)) == [1, 2, 3, 4, 5, 6]


def test_our_failure_is_tried_again_and_in_the_end_not_charged(owner, handed_in, settings):
    submission = handed_in(owner)
    for _ in range(settings.WARPCOURT.max_tries):
        assert verdict_of(submission) is None
        assert services.return_to_queue(services.claim("w"), failed=True)
    assert services.claim("w") is None
    report = StoredReport.objects.get()
    assert report.verdict == "internal_error"
    assert "not caused by your code" in report.message


def test_a_worker_that_stops_hands_back_without_a_try(
    owner, handed_in, wakeups, django_capture_on_commit_callbacks
):
    handed_in(owner)
    with django_capture_on_commit_callbacks(execute=True):
        services.return_to_queue(services.claim("w"), failed=False)
    assert wakeups == ["cpu"]
    assert services.claim("w").tries == 1


def test_a_host_that_lacks_something_takes_the_next_job_and_others_take_this_one(owner, handed_in):
    first, second = handed_in(owner), handed_in(owner)
    assert services.return_to_queue(services.claim("node-1:7"), failed=False, missing="a file")
    other = services.claim("node-1:8")
    assert other.submission == second
    claim = services.claim("node-2:7")
    assert (claim.submission, claim.tries, claim.excluded_hosts) == (first, 1, {"node-1": "a file"})
    expire_leases()
    assert services.claim("node-1:9").submission == second
    assert services.claim("node-1:9") is None


def test_a_job_that_no_host_can_run_ends_and_may_be_rejudged(owner, handed_in):
    submission = handed_in(owner)
    for node in ("node-1", "node-2"):
        assert services.queue.sweep(hosts=lambda _: ["node-1", "node-2"]).concluded == 0
        services.return_to_queue(services.claim(f"{node}:7"), failed=False, missing="a file")
    assert services.queue.sweep(hosts=lambda _: []).concluded == 0
    assert services.queue.sweep(hosts=lambda queue: ["node-1", "node-2"] * (queue == "cpu")).concluded == 1
    assert verdict_of(submission) == "internal_error"
    services.rejudge(submission)
    assert services.claim("node-1:7").excluded_hosts == {}


def test_the_sweep_queues_the_job_of_a_lost_worker_again(owner, handed_in, wakeups):
    submission = handed_in(owner)
    services.claim("killed")
    assert services.sweep() == services.Swept(requeued=0, concluded=0, woken=0)
    expire_leases()
    assert services.sweep() == services.Swept(requeued=1, concluded=0, woken=1)
    assert wakeups == ["cpu"]
    assert Event.objects.last().kind == EventKind.RETRIED
    services.record(services.claim("alive"), ACCEPTED)
    assert verdict_of(submission) == "accepted"


def test_the_sweep_wakes_a_worker_for_what_waits_too_long(owner, handed_in, wakeups):
    handed_in(owner)
    services.sweep()
    assert wakeups == []
    services.sweep(now=timezone.now() + timedelta(seconds=6))
    assert len(wakeups) == 1


def test_the_sweep_gives_up_after_the_last_try(owner, handed_in, settings):
    submission = handed_in(owner)
    for _ in range(settings.WARPCOURT.max_tries):
        services.claim("killed")
        expire_leases()
        swept = services.sweep()
    assert swept.concluded == 1
    assert verdict_of(submission) == "internal_error"


def test_a_lost_worker_does_not_keep_a_cancelled_job(owner, handed_in):
    submission = handed_in(owner)
    services.claim("killed")
    services.cancel(submission)
    expire_leases()
    assert services.claim("alive") is None
    assert services.sweep().concluded == 1
    assert verdict_of(submission) == "cancelled"


def test_a_sweep_that_comes_second_changes_nothing(owner, handed_in):
    handed_in(owner)
    services.claim("killed")
    expire_leases()
    services.sweep()
    assert services.sweep(now=timezone.now()) == services.Swept(requeued=0, concluded=0, woken=0)


@pytest.mark.parametrize("off", [timedelta(minutes=10), timedelta(minutes=-10)])
def test_a_host_whose_clock_is_wrong_holds_and_respects_leases(owner, handed_in, monkeypatch, off):
    handed_in(owner)
    right = timezone.now
    with monkeypatch.context() as skewed:
        skewed.setattr(timezone, "now", lambda: right() + off)
        held = services.claim("skewed")
        assert services.extend_lease(held) is services.Hold.HELD
        left = Job.objects.get().lease_until - right()
    assert timedelta(seconds=10) < left <= timedelta(seconds=21)
    assert services.sweep().requeued == 0
    with monkeypatch.context() as skewed:
        skewed.setattr(timezone, "now", lambda: right() + off)
        assert services.claim("skewed too") is None
        assert services.sweep().requeued == 0


def test_the_sweep_wakes_workers_where_each_job_waits(owner, handed_in, wakeups, live_gpus):
    live_gpus("NVIDIA H200")
    for gpu_model in ("NVIDIA H200", "NVIDIA H200", ""):
        handed_in(owner, gpu_model=gpu_model)
    assert services.sweep(now=timezone.now() + timedelta(seconds=6)).woken == 3
    assert sorted(wakeups) == ["gpu", "gpu.nvidia-h200", "gpu.nvidia-h200"]


def test_the_sweep_subtracts_the_messages_that_the_broker_holds(owner, handed_in, wakeups, monkeypatch):
    for _ in range(3):
        handed_in(owner)
    monkeypatch.setattr(wakeup, "undelivered", {"cpu": 2}.get)
    later = timezone.now() + timedelta(seconds=6)
    assert services.sweep(now=later).woken == 1
    monkeypatch.setattr(wakeup, "undelivered", {"cpu": 16}.get)
    assert services.sweep(now=later).woken == 0


def test_the_sweep_sends_no_more_messages_when_the_broker_does_not_answer(owner, handed_in, monkeypatch):
    for _ in range(3):
        handed_in(owner)
    asked = []
    monkeypatch.setattr(wakeup, "undelivered", asked.append)
    assert services.sweep(now=timezone.now() + timedelta(seconds=6)).woken == 0
    monkeypatch.setattr(wakeup, "undelivered", lambda _: 0)
    monkeypatch.setattr(wakeup, "wake", asked.append)
    assert services.sweep(now=timezone.now() + timedelta(seconds=6)).woken == 0
    assert asked == ["cpu", "cpu"]


def test_text_of_a_program_that_databases_refuse_is_made_storable(owner, handed_in):
    handed_in(owner)
    services.record(services.claim("w"), Report(Verdict.ACCEPTED, output="a\0b\ud800c"))
    assert StoredReport.objects.get().body["output"] == "a\N{REPLACEMENT CHARACTER}b?c"


def test_a_job_on_which_a_worker_hung_ends_at_once_and_is_not_charged(owner, handed_in):
    submission = handed_in(owner)
    claim = services.claim("hangs")
    assert services.abandon(submission.pk, claim.attempt)
    assert verdict_of(submission) == "internal_error"
    assert not services.record(claim, ACCEPTED), "the process may come back to life before it dies"
    assert services.claim("another") is None


def test_it_ends_also_when_its_lease_has_expired_and_no_worker_has_it(owner, handed_in):
    submission = handed_in(owner)
    claim = services.claim("hangs")
    expire_leases()
    services.sweep()
    assert services.abandon(submission.pk, claim.attempt)
    assert verdict_of(submission) == "internal_error"


def test_a_job_that_another_worker_has_goes_on(owner, handed_in):
    submission = handed_in(owner)
    late = services.claim("hangs")
    expire_leases()
    claim = services.claim("another")
    assert not services.abandon(submission.pk, late.attempt)
    assert services.record(claim, ACCEPTED)
    assert not services.abandon(submission.pk, claim.attempt)
    assert verdict_of(submission) == "accepted"


def test_a_cancelled_job_on_which_a_worker_hung_is_cancelled(owner, handed_in):
    submission = handed_in(owner)
    claim = services.claim("hangs")
    services.cancel(submission)
    assert services.abandon(submission.pk, claim.attempt)
    assert verdict_of(submission) == "cancelled"
