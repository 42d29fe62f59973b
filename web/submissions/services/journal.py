"""The two writes that all other services use: an event, and the end of a job.

Both run in the caller's transaction.
"""

from collections.abc import Mapping
from dataclasses import replace
from statistics import geometric_mean

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce
from django.urls import reverse

from judge import report as judge_report
from judge.report_json import to_json
from problems.vocabulary import Verdict
from web.jobs.fair_share import move_up_on_commit
from web.jobs.models import JobState, is_personal
from web.notifications.models import Kind
from web.notifications.services import notify
from web.site import metrics
from web.site.clock import DatabaseNow
from web.site.verdicts import badge_of
from web.submissions.models import (
    STAMP_CHARACTERS,
    CaseResult,
    Event,
    EventKind,
    Job,
    Listing,
    ListingKind,
    Priority,
    Report,
    Submission,
)
from web.submissions.services.attachments import keep_profile_report, keep_replay
from web.submissions.services.progress import settle
from web.submissions.usage import times_of

OLD_VERDICT = "old_verdict"  # in the event that queues a rejudge


def append(submission_id: int, kind: EventKind, payload: Mapping[str, object]) -> Event:
    """Append an event. The job's row assigns the number, so two writers never take the same."""
    Job.objects.filter(submission=submission_id).update(events=F("events") + 1)
    sequence = Job.objects.values_list("events", flat=True).get(submission=submission_id)
    return Event.objects.create(
        submission_id=submission_id,
        sequence=sequence,
        kind=kind,
        payload=dict(payload),
        created=DatabaseNow(),  # pages show how long steps took, as reported by several hosts
    )


def conclude(job: Job, report: judge_report.Report) -> bool:
    """Give the submission of `job` its verdict. Return False if the job has changed since it was read.

    The conditional UPDATE comes first: it makes the verdict unique, and its row lock blocks all others until
    the report, the cases and the event are written.
    """
    submission_id = job.submission_id
    mine = Job.objects.filter(pk=job.pk, attempt=job.attempt, state=job.state)
    if not mine.update(state=JobState.DONE, lease_until=None):
        return False
    personal = is_personal(job.queue)
    stored = _store(submission_id, job.attempt, report, personal=personal)
    CaseResult.objects.bulk_create(
        case_result(stored, position, case) for position, case in enumerate(report.cases)
    )
    _store_listings(stored, report.listings)
    if report.replay is not None:
        keep_replay(stored, report.replay)
    if report.profile_report is not None:
        keep_profile_report(stored, report.profile_report)
    append(submission_id, EventKind.FINISHED, {"verdict": report.verdict.value, "text": report.message})
    settle(submission_id)
    if job.priority == Priority.REJUDGE:
        _tell_if_changed(submission_id, report.verdict)
    if not personal:
        transaction.on_commit(metrics.VERDICTS.labels(verdict=report.verdict.value).inc)
    move_up_on_commit(Job.objects.filter(user=job.user_id))
    return True


@transaction.atomic
def add_listings(job: Job, listings: Mapping[str, str]) -> None:
    """Add listings to the report of `job`, unless it was replaced since."""
    stored = Report.objects.select_for_update().filter(submission=job.submission_id, attempt=job.attempt)
    if (report := stored.first()) is not None:
        _store_listings(report, listings)


def _store_listings(stored: Report, listings: Mapping[str, str]) -> None:
    Listing.objects.bulk_create(
        [Listing.of(stored, ListingKind(kind), text) for kind, text in listings.items() if text],
        ignore_conflicts=True,
    )


def _tell_if_changed(submission_id: int, verdict: Verdict) -> None:
    """Notify the owner if this rejudge changed the verdict."""
    queued = Event.objects.filter(submission=submission_id, kind=EventKind.QUEUED).order_by("-sequence")
    payload = queued.values_list("payload", flat=True).first() or {}
    old = str(payload.get(OLD_VERDICT, ""))
    if old in ("", verdict.value):
        return
    submission = Submission.objects.select_related("problem").only("public_id", "user", "problem__title")
    mine = submission.get(pk=submission_id)
    notify(
        [mine.user_id],
        Kind.VERDICT,
        subject=mine.problem.title,
        detail=f"{badge_of(old).word} before, now {badge_of(verdict).word}.",
        topic=f"submission-{submission_id}-{verdict.value}",
        url=reverse("submission", args=[mine.public_id]),
    )


def _store(submission_id: int, attempt: int, report: judge_report.Report, *, personal: bool) -> Report:
    score = report.score
    stamp = report.environment
    # A judge that loads no package stamps no version; then the pinned version judged it.
    pinned = Submission.objects.values_list(Coalesce("package__version", "version"), flat=True)
    version = stamp.get("problem_version") or pinned.get(pk=submission_id)
    gpu_ms, cpu_ms = (0, 0) if personal else times_of(report)
    return Report.objects.create(
        submission_id=submission_id,
        attempt=attempt,
        verdict=report.verdict.value,
        message=report.message,
        version=version,
        gpu_model=stamp.get("gpu", "")[:STAMP_CHARACTERS],
        driver=stamp.get("driver", "")[:STAMP_CHARACTERS],
        toolkit=_toolkit(stamp),
        ranked=report.ranked,
        score_us=score.median_us if score else None,
        score_low_us=score.low_us if score else None,
        score_high_us=score.high_us if score else None,
        roofline_percent=_roofline_percent(report),
        checker_score=report.checker_score,
        gpu_ms=gpu_ms,
        cpu_ms=cpu_ms,
        body=to_json(replace(report, listings={})),
        finished=DatabaseNow(),
    )


def case_result(stored: Report, position: int, case: judge_report.CaseReport) -> CaseResult:
    """Return an unsaved row for the outcome of one case."""
    timing = case.timing
    return CaseResult(
        report=stored,
        position=position,
        name=case.name,
        group=case.group.value,
        public=case.public,
        verdict=case.verdict.value,
        wall_ms=case.wall_ms,
        median_us=timing.median_us if timing else None,
        low_us=timing.low_us if timing else None,
        high_us=timing.high_us if timing else None,
    )


def _toolkit(stamp: Mapping[str, str]) -> str:
    """Return the compiler in a few words: `nvcc 13.0.88`, `triton 3.6.0`, else the images that have it."""
    named = [f"{name} {stamp[name]}" for name in ("images", "nvcc", "triton") if name in stamp]
    return named[-1][:STAMP_CHARACTERS] if named else ""


def _roofline_percent(report: judge_report.Report) -> float | None:
    """Return the share of this GPU's speed over all timed cases; None if it is unknown for one."""
    percents = [case.timing.roofline_percent for case in report.cases if case.timing]
    known = [percent for percent in percents if percent]
    return geometric_mean(known) if report.ranked and known and len(known) == len(percents) else None
