"""Tests rejudges: hidden runs change nothing visible until staff apply them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judge.report import CaseReport, Report, Score
from problems.vocabulary import Group, Verdict
from web.audit.models import AuditEntry, AuditKind
from web.fleet.models import Node
from web.jobs.models import JobState
from web.privacy.deletion import delete_account
from web.rejudges import rejudging
from web.rejudges.models import Change, HiddenRun, Rejudge, RejudgeState, Resolution
from web.rejudges.queue import queue as hidden_runs
from web.submissions import services
from web.submissions.models import Event, Job, Listing, Progress, Submission
from web.submissions.models import Report as StoredReport
from worker.judge_handle import JudgeHandle
from worker.judging import judge_next
from worker.sweeper import sweep_once

pytestmark = pytest.mark.django_db(transaction=True)


def judged(handed_in, owner, source: str, **report) -> Submission:
    """A submission whose visible report is `report`, whatever its source says."""
    submission = handed_in(owner, source=source)
    verdict = report.pop("verdict", Verdict.ACCEPTED)
    services.record(services.claim("w"), Report(verdict, **report))
    return submission


def start(staff, reason: str = "the tolerance was wrong") -> Rejudge:
    found = Submission.objects.all()
    return rejudging.start(staff, found, reason=reason, chosen={"problem": "vector-add"})


def run_all() -> None:
    while HiddenRun.objects.filter(state=JobState.QUEUED).exists():
        judge_next(JudgeHandle())


def state_of(rejudge: Rejudge) -> str:
    return Rejudge.objects.get(pk=rejudge.pk).state


def visible(submission: Submission) -> tuple[str, str, int]:
    report = StoredReport.objects.get(submission=submission)
    return report.verdict, report.message, Event.objects.filter(submission=submission).count()


def test_a_hidden_run_changes_nothing_that_anybody_sees(owner, staff, handed_in):
    submission = judged(handed_in, owner, "wrong_answer", message="as it was")
    before, progress = visible(submission), Progress.objects.values().get()
    rejudge = start(staff)
    run_all()
    assert state_of(rejudge) == RejudgeState.READY
    run = HiddenRun.objects.get()
    assert (run.old_verdict, run.verdict, run.change) == ("accepted", "wrong_answer", Change.VERDICT)
    assert visible(submission) == before
    assert Progress.objects.values().get() == progress
    assert Job.objects.get().state == JobState.DONE


def test_what_a_gpu_judged_is_judged_again_on_one_while_there_is_any(owner, staff, handed_in, live_gpus):
    judged(handed_in, owner, "accepted", environment={"gpu": "NVIDIA H200"})
    live_gpus("NVIDIA B200")
    start(staff)
    assert hidden_runs.claim("cpu") is None
    assert hidden_runs.return_to_queue(hidden_runs.claim("gpu", gpu_models=["NVIDIA B200"]), failed=False)
    Node.objects.update(heartbeat=timezone.now() - timedelta(minutes=5))
    assert hidden_runs.claim("cpu") is not None


def test_a_hidden_run_on_which_a_worker_hung_ends_at_once(owner, staff, handed_in):
    judged(handed_in, owner, "accepted")
    rejudge = start(staff)
    claim = hidden_runs.claim("hangs")
    assert hidden_runs.abandon(claim.pk, claim.attempt)
    assert not hidden_runs.abandon(claim.pk, claim.attempt)
    run = HiddenRun.objects.get()
    assert (run.verdict, run.change) == ("internal_error", Change.FAILED)
    assert state_of(rejudge) == RejudgeState.READY


def test_what_people_wait_for_is_judged_first(owner, staff, handed_in):
    judged(handed_in, owner, "wrong_answer")
    start(staff)
    fresh = handed_in(owner, source="accepted")
    judge_next(JudgeHandle())
    assert StoredReport.objects.filter(submission=fresh).exists()
    assert HiddenRun.objects.get().state == JobState.QUEUED


def test_applying_replaces_the_report_whole(owner, staff, handed_in):
    submission = judged(handed_in, owner, "score=12.5", verdict=Verdict.WRONG_ANSWER, message="as it was")
    rejudge = start(staff)
    run_all()
    assert rejudging.apply(rejudge, staff)
    assert state_of(rejudge) == RejudgeState.APPLIED
    report = StoredReport.objects.get(submission=submission)
    assert (report.verdict, report.score_us, report.gpu_model) == ("accepted", 12.5, "NVIDIA H200")
    assert Listing.objects.filter(report=report).count() == 2
    assert Progress.objects.get().accepted == 1
    assert HiddenRun.objects.get().body is None
    assert list(Event.objects.values_list("kind", flat=True))[-2:] == ["queued", "finished"]
    assert AuditEntry.objects.filter(kind=AuditKind.PREVIEW_APPLY, actor=staff).exists()


def test_there_is_exactly_one_verdict_after_applying_twice_at_a_time(owner, staff, handed_in):
    submission = judged(handed_in, owner, "wrong_answer")
    rejudge = start(staff)
    run_all()
    assert rejudging.apply(rejudge, staff)
    assert not rejudging.apply(rejudge, staff)
    rejudging.go_on()
    assert StoredReport.objects.filter(submission=submission).count() == 1
    assert Event.objects.filter(kind="finished").count() == 2


def test_discarding_drops_what_was_found(owner, staff, handed_in):
    submission = judged(handed_in, owner, "wrong_answer")
    before = visible(submission)
    rejudge = start(staff)
    run_all()
    assert rejudging.discard(rejudge, staff)
    assert not rejudging.apply(rejudge, staff)
    assert visible(submission) == before
    run = HiddenRun.objects.get()
    assert (run.resolution, run.body, run.verdict) == (Resolution.DROPPED, None, "wrong_answer")


def test_a_cancelled_rejudge_ends_at_once_and_its_worker_stops(owner, staff, handed_in):
    judged(handed_in, owner, "wrong_answer")
    judged(handed_in, owner, "accepted")
    rejudge = start(staff)
    held = hidden_runs.claim("w")
    assert hidden_runs.extend_lease(held) is services.Hold.HELD
    assert rejudging.cancel(rejudge, staff)
    assert hidden_runs.extend_lease(held) is services.Hold.CANCELLED
    hidden_runs.record(held, Report(Verdict.CANCELLED))
    [run] = HiddenRun.objects.all()
    assert (run.pk, run.resolution) == (held.pk, Resolution.DROPPED), "the waiting run is deleted"
    assert hidden_runs.claim("w") is None
    assert state_of(rejudge) == RejudgeState.CANCELLED


def test_a_verdict_that_changed_meanwhile_is_kept(owner, staff, handed_in):
    submission = judged(handed_in, owner, "wrong_answer")
    rejudge = start(staff)
    run_all()
    services.rejudge(submission)
    services.record(services.claim("w"), Report(Verdict.TIME_LIMIT))
    rejudging.apply(rejudge, staff)
    assert visible(submission)[0] == "time_limit"
    run = HiddenRun.objects.get()
    assert (run.resolution, run.note) == (
        Resolution.KEPT,
        "Verdict kept: the submission was rejudged elsewhere.",
    )


def test_what_is_being_judged_again_is_not_taken_from_its_worker(owner, staff, handed_in):
    submission = judged(handed_in, owner, "wrong_answer")
    rejudge = start(staff)
    run_all()
    services.rejudge(submission)
    held = services.claim("w")
    rejudging.apply(rejudge, staff)
    assert HiddenRun.objects.get().resolution == Resolution.KEPT
    assert services.record(held, Report(Verdict.ACCEPTED))


def test_only_other_verdicts_are_applied_on_request(owner, staff, handed_in):
    kept = judged(handed_in, owner, "score=10", score=Score(12.0, 11.9, 12.1), **timed())
    changed = judged(handed_in, owner, "time_limit")
    rejudge = start(staff)
    run_all()
    assert sorted(HiddenRun.objects.values_list("change", flat=True)) == [Change.FASTER, Change.VERDICT]
    rejudging.apply(rejudge, staff, verdicts_only=True)
    assert StoredReport.objects.get(submission=kept).score_us == 12.0
    assert visible(changed)[0] == "time_limit"


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("score=10", Change.FASTER),
        ("score=14", Change.SLOWER),
        ("score=12.05", Change.SAME),
        ("score=10 gpu=NVIDIA_B200", Change.OTHER_GPU),
        ("score=10 wrong_answer", Change.VERDICT),
        ("accepted", Change.SAME),
    ],
)
def test_a_time_differs_where_the_intervals_do_not_meet(owner, staff, handed_in, source, change):
    judged(handed_in, owner, source, score=Score(12.0, 11.9, 12.1), **timed())
    start(staff)
    run_all()
    assert HiddenRun.objects.get().change == change


def test_a_judge_that_fails_changes_no_verdict(owner, staff, handed_in, settings):
    submission = judged(handed_in, owner, "fail")
    rejudge = start(staff)
    for _ in range(settings.WARPCOURT.max_tries):
        judge_next(JudgeHandle())
    assert HiddenRun.objects.get().change == Change.FAILED
    rejudging.apply(rejudge, staff)
    assert visible(submission)[0] == "accepted"
    assert state_of(rejudge) == RejudgeState.APPLIED


def test_a_lost_worker_is_replaced_and_writes_nothing_more(owner, staff, handed_in):
    judged(handed_in, owner, "wrong_answer")
    start(staff)
    lost = hidden_runs.claim("lost")
    hidden_runs.sweep(now=timezone.now() + timedelta(hours=1))
    again = hidden_runs.claim("other")
    assert again.attempt == lost.attempt + 1
    assert not hidden_runs.record(lost, Report(Verdict.ACCEPTED))
    with pytest.raises(services.LeaseLost):
        hidden_runs.add_event(lost, "case", {})
    assert hidden_runs.record(again, Report(Verdict.WRONG_ANSWER))


def test_a_live_worker_keeps_its_run_through_a_sweep(owner, staff, handed_in):
    judged(handed_in, owner, "wrong_answer")
    start(staff)
    held = hidden_runs.claim("w")
    hidden_runs.sweep()
    assert hidden_runs.record(held, Report(Verdict.ACCEPTED))


def test_the_sweep_goes_on_with_what_is_being_applied(owner, staff, handed_in, monkeypatch):
    monkeypatch.setattr(rejudging, "_APPLIED_AT_ONCE", 1)
    for _ in range(3):
        judged(handed_in, owner, "wrong_answer")
    rejudge = start(staff)
    run_all()
    rejudging.apply(rejudge, staff)
    assert state_of(rejudge) == RejudgeState.APPLYING
    while state_of(rejudge) == RejudgeState.APPLYING:
        sweep_once()
    assert {visible(submission)[0] for submission in Submission.objects.all()} == {"wrong_answer"}


def test_a_rejudge_does_not_wait_for_runs_that_were_deleted_with_an_account(
    owner, teammate, staff, handed_in
):
    judged(handed_in, owner, "wrong_answer")
    judged(handed_in, teammate, "wrong_answer")
    rejudge = start(staff)
    judge_next(JudgeHandle())
    sweep_once()
    assert state_of(rejudge) == RejudgeState.RUNNING
    delete_account(teammate)
    sweep_once()
    assert state_of(rejudge) == RejudgeState.READY
    assert rejudging.apply(rejudge, staff)
    assert StoredReport.objects.get().verdict == "wrong_answer"


def test_workers_are_woken_and_again_by_the_sweep(owner, staff, handed_in, wakeups):
    judged(handed_in, owner, "accepted")
    wakeups.clear()
    start(staff)
    hidden_runs.sweep(now=timezone.now() + timedelta(seconds=6))
    assert wakeups == ["cpu"] * 2


def test_a_choice_of_none_or_of_too_many_is_refused(owner, staff, handed_in, monkeypatch):
    with pytest.raises(rejudging.RejudgeRefused, match="No judged submissions"):
        start(staff)
    monkeypatch.setattr(rejudging, "MAX_RUNS", 1)
    judged(handed_in, owner, "accepted")
    judged(handed_in, owner, "accepted")
    with pytest.raises(rejudging.RejudgeRefused, match="More than 1 "):
        start(staff)
    assert not Rejudge.objects.exists()


def timed() -> dict[str, object]:
    case = CaseReport("timed", Group.TIMED, public=False, verdict=Verdict.ACCEPTED)
    return {"environment": {"gpu": "NVIDIA H200"}, "cases": (case,)}
