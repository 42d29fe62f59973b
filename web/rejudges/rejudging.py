"""Rejudges: run submissions again without visible changes, then apply or discard the result.

Theory of operation. A rejudge creates a `HiddenRun` per submission; workers run them (`queue`). Applying
replaces the reports one by one. Each replacement is one transaction that holds the job's row: it replaces the
old report by the new one, or changes nothing. So a submission has one visible verdict at any time. A
submission that was rejudged by other means in the meantime keeps its verdict.
"""

from collections.abc import Mapping

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from web.accounts.models import User
from web.audit.models import AuditKind
from web.audit.services import log
from web.jobs.models import OPEN, REJUDGED, JobState
from web.packages.models import PackageVersion
from web.rejudges.models import Change, HiddenRun, Rejudge, RejudgeState, Resolution
from web.rejudges.queue import queue, queue_for_run, stored_report
from web.submissions import services
from web.submissions.models import Job, Report, Submission
from web.submissions.services.journal import conclude

MAX_RUNS = 5000
_BATCH = 500
_APPLIED_AT_ONCE = 100
_OF_SUBMISSION = {"live": F("submission__problem__package"), "asked_gpu": F("submission__gpu_model")}
_NO_RESULT = {"body": None, "listings": None}
_JUDGED_SINCE = "Verdict kept: the submission was rejudged elsewhere."
_JUDGE_FAILED = "Verdict kept: the judge failed."
_NOT_ASKED = "Verdict unchanged. Only changed verdicts were applied."


class RejudgeRefused(Exception):
    """Raised when a rejudge cannot be started. The message is for staff."""


def start(
    creator: User,
    found: QuerySet[Submission],
    *,
    reason: str,
    chosen: Mapping[str, object],
    package: PackageVersion | None = None,
) -> Rejudge:
    """Start a rejudge of the submissions `found`, except those that are running.

    They are judged by the version `package`, to preview its effect, or each by the live version of its
    problem. Applying pins them to it. The caller decides whether to make `package` live.

    Raises:
        RejudgeRefused: there is none, or there are too many.
    """
    judged = found.filter(job__state=JobState.DONE, report__isnull=False).order_by("pk")
    keys = list(judged.values_list("pk", flat=True)[: MAX_RUNS + 1])
    if not keys:
        raise RejudgeRefused("No judged submissions selected.")
    if len(keys) > MAX_RUNS:
        raise RejudgeRefused(f"More than {MAX_RUNS} submissions selected. Narrow the filters.")
    with transaction.atomic():
        rejudge = Rejudge.objects.create(creator=creator, reason=reason, chosen=dict(chosen), package=package)
        for first in range(0, len(keys), _BATCH):
            reports = Report.objects.filter(submission__in=keys[first : first + _BATCH])
            live = reports.annotate(**_OF_SUBMISSION).defer("body")
            HiddenRun.objects.bulk_create(_run(rejudge, report) for report in live)
        log(creator, AuditKind.PREVIEW_START, rejudge, reason=reason, submissions=len(keys), **chosen)
        transaction.on_commit(queue.wake_waiting)
    return rejudge


@transaction.atomic
def cancel(rejudge: Rejudge, actor: User) -> bool:
    """End a running rejudge, and delete the runs that no worker has taken. Return False if it does not run.

    `web.upkeep.retention` deletes the others later.
    """
    if not _move(rejudge, RejudgeState.RUNNING, RejudgeState.CANCELLED):
        return False
    rejudge.runs.filter(state=JobState.QUEUED).delete()
    rejudge.runs.filter(state__in=OPEN).update(state=JobState.CANCELLED, lease_until=None)
    rejudge.runs.update(resolution=Resolution.DROPPED, **_NO_RESULT)
    log(actor, AuditKind.PREVIEW_CANCEL, rejudge)
    return True


@transaction.atomic
def discard(rejudge: Rejudge, actor: User | None) -> bool:
    """Discard the result of a rejudge; all visible verdicts stay. Return False if it is not ready.

    `actor` is None if the rejudge is discarded because it was never answered.
    """
    if not _move(rejudge, RejudgeState.READY, RejudgeState.DISCARDED):
        return False
    _found(rejudge).update(resolution=Resolution.DROPPED, **_NO_RESULT)
    log(actor, AuditKind.PREVIEW_DISCARD, rejudge)
    return True


def apply(rejudge: Rejudge, actor: User, *, verdicts_only: bool = False) -> bool:
    """Make the result of a rejudge visible. Return False if it is not ready.

    The first hundred runs are applied at once and the rest by the workers' sweeps. With `verdicts_only` a
    report is replaced only if its verdict changes, so that times stay.
    """
    with transaction.atomic():
        if not _move(rejudge, RejudgeState.READY, RejudgeState.APPLYING):
            return False
        found = _found(rejudge)
        kept = {"resolution": Resolution.KEPT, **_NO_RESULT}
        found.filter(change=Change.FAILED).update(note=_JUDGE_FAILED, **kept)
        if verdicts_only:
            found.exclude(change=Change.VERDICT).update(note=_NOT_ASKED, **kept)
        log(actor, AuditKind.PREVIEW_APPLY, rejudge, verdicts_only=verdicts_only)
    _apply_some(rejudge)
    return True


def go_on() -> None:
    """Apply some more runs of every rejudge that is being applied. Any number of workers may call this.

    A rejudge whose last open runs were deleted with their author's account becomes ready.
    """
    open_runs = HiddenRun.objects.filter(rejudge=OuterRef("pk"), state__in=OPEN)
    waiting = Rejudge.objects.filter(~Exists(open_runs), state=RejudgeState.RUNNING)
    waiting.update(state=RejudgeState.READY)
    for rejudge in Rejudge.objects.filter(state=RejudgeState.APPLYING):
        _apply_some(rejudge)


def _apply_some(rejudge: Rejudge) -> None:
    found = _found(rejudge)
    for pk in list(found.values_list("pk", flat=True)[:_APPLIED_AT_ONCE]):
        _apply_one(pk)
    if not found.exists():
        _move(rejudge, RejudgeState.APPLYING, RejudgeState.APPLIED)


@transaction.atomic
def _apply_one(pk: int) -> None:
    run = HiddenRun.objects.select_related("submission").get(pk=pk)
    mine = HiddenRun.objects.filter(pk=pk, resolution=Resolution.OPEN)
    if not mine.update(resolution=Resolution.APPLIED, **_NO_RESULT):
        return  # another sweep got there first
    job = Job.objects.select_for_update().get(submission=run.submission_id)
    as_it_was = Report.objects.filter(pk=run.report_id, submission=run.submission_id).exists()
    if not as_it_was or not services.rejudge(run.submission):
        HiddenRun.objects.filter(pk=pk).update(resolution=Resolution.KEPT, note=_JUDGED_SINCE)
        return
    Submission.objects.filter(pk=run.submission_id).update(package=run.package_id)
    job.refresh_from_db()
    conclude(job, stored_report(run))


def _found(rejudge: Rejudge) -> QuerySet[HiddenRun]:
    """Return the runs whose result is neither applied nor discarded."""
    return rejudge.runs.filter(state=JobState.DONE, resolution=Resolution.OPEN)


def _run(rejudge: Rejudge, report: Report) -> HiddenRun:
    return HiddenRun(
        rejudge=rejudge,
        submission_id=report.submission_id,
        queue=queue_for_run(report.asked_gpu, report.gpu_model),  # type: ignore[attr-defined]  # annotated by `start`
        priority=REJUDGED,
        package_id=rejudge.package_id or report.live,  # type: ignore[attr-defined]  # annotated by `start`
        report_id=report.pk,
        old_verdict=report.verdict,
        old_version=report.version,
        old_gpu_model=report.gpu_model,
        old_score_us=report.score_us,
        old_low_us=report.score_low_us,
        old_high_us=report.score_high_us,
    )


def _move(rejudge: Rejudge, before: RejudgeState, after: RejudgeState) -> bool:
    ended = None if after == RejudgeState.APPLYING else timezone.now()
    return Rejudge.objects.filter(pk=rejudge.pk, state=before).update(state=after, ended=ended) > 0
