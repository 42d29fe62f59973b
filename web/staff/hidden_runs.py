"""What workers do with hidden runs, as `web.submissions.services` does it with jobs.

Theory of operation. A worker takes a hidden run only when no visible job waits, under the same fencing:
`attempt` grows with every claim, and every write names it. What a run yields is kept in its own row, so
that no query about submissions can show it, and the visible verdict is the one there always was.
"""

import json
import zlib
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.utils import timezone

from judge import report as judge_report
from judge.report import Report
from problems.vocabulary import Verdict
from web.clock import DatabaseNow
from web.fleet.queries import offered_gpu_models
from web.packages.models import PackageVersion
from web.staff.models import Change, HiddenRun, Rejudge, RejudgeState, RunState
from web.submissions import doorbell, services
from web.submissions.models import CPU, STAMP_CHARACTERS, EventKind, Submission
from web.submissions.queues import queue_of_model

_SWEPT_AT_ONCE = 500
_OPEN = [RunState.QUEUED.value, RunState.LEASED.value]


@dataclass(frozen=True, slots=True)
class HiddenClaim(services.Claim):
    """The right to judge `submission` out of sight."""

    run_id: int


def claim(worker: str, *, gpu_models: Collection[str] = ()) -> HiddenClaim | None:
    """Take a hidden run that waits, or one whose lease expired; None when there is none.

    One that asks for a GPU is for workers with one of that model, as for jobs. One that was judged on a GPU
    is for workers with some GPU, as long as any is in use.
    """
    fitting = _fitting(gpu_models)
    while True:
        mine = HiddenRun.objects.filter(_claimable(), fitting)
        row = mine.values_list("pk", "attempt").order_by("pk").first()
        if row is None:
            return None
        pk, attempt = row
        taken = HiddenRun.objects.filter(_claimable(), pk=pk, attempt=attempt).update(
            state=RunState.LEASED,
            attempt=F("attempt") + 1,
            tries=F("tries") + 1,
            lease_until=_lease_end(),
            worker=worker,
        )
        if not taken:
            continue  # another worker got there first
        run = HiddenRun.objects.select_related("submission__problem", "submission__job").get(pk=pk)
        run.submission.package_id = run.package_id  # in memory alone: what is visible keeps its version
        return HiddenClaim(run.submission, attempt + 1, run.tries, pk)


def extend_lease(held: HiddenClaim) -> services.Hold:
    """Extend the lease by its full length, and learn whether to go on."""
    mine = _held(held)
    if not mine.update(lease_until=_lease_end()):
        return services.Hold.LOST
    going_on = mine.filter(rejudge__state=RejudgeState.RUNNING).exists()
    return services.Hold.HELD if going_on else services.Hold.CANCELLED


def add_event(held: HiddenClaim, kind: EventKind, payload: Mapping[str, object]) -> None:  # noqa: ARG001 - those of a visible job
    """Tell nobody about a step: nobody watches.

    Raises:
        LeaseLost: the run is no longer this worker's.
    """
    if not _held(held).exists():
        raise services.LeaseLost(f"attempt {held.attempt} of hidden run {held.run_id} is over")


@transaction.atomic
def record(held: HiddenClaim, report: Report) -> bool:
    """Keep the report out of sight. False: the lease was lost, nothing is stored."""
    run = _held(held).first()
    if run is None:
        return False
    # The rejudge's row is the lock under which the last run is told from the last but one.
    rejudge = Rejudge.objects.select_for_update().get(pk=run.rejudge_id)
    if rejudge.state != RejudgeState.RUNNING:
        return _held(held).update(state=RunState.DROPPED, lease_until=None) > 0
    if not _held(held).update(**_columns(run, held.submission, report)):
        return False
    if not rejudge.runs.filter(state__in=_OPEN).exists():
        Rejudge.objects.filter(pk=rejudge.pk).update(state=RejudgeState.READY)
    transaction.on_commit(partial(doorbell.ring, _queue_of(held.submission.gpu_model)))
    return True


def hand_back(held: HiddenClaim, *, failed: bool) -> bool:
    """Give the run up, as `submissions.services.hand_back` does with a job."""
    if failed and held.tries >= settings.WARPCOURT.max_tries:
        return record(held, _gave_up())
    tries = F("tries") if failed else F("tries") - 1
    running = _held(held).filter(rejudge__state=RejudgeState.RUNNING)
    queued = running.update(state=RunState.QUEUED, lease_until=None, worker="", tries=tries)
    return (queued or _held(held).update(state=RunState.DROPPED, lease_until=None)) > 0


def abandon(pk: int, attempt: int) -> bool:
    """End a run on which its worker's process hung, without another try. False if it was lost before."""
    run = HiddenRun.objects.select_related("submission").filter(pk=pk).first()
    report = Report(Verdict.INTERNAL_ERROR, "The judge could not read this source in time.")
    return run is not None and record(HiddenClaim(run.submission, attempt, run.tries, pk), report)


def sweep(*, now: datetime | None = None) -> None:
    """Queue runs again whose worker is gone, and ring for those that wait."""
    moment = now or DatabaseNow()
    expired = HiddenRun.objects.filter(state=RunState.LEASED, lease_until__lt=moment)
    for run in expired.select_related("submission")[:_SWEPT_AT_ONCE]:
        _hand_back_expired(HiddenClaim(run.submission, run.attempt, run.tries, run.pk), moment)
    ring()


def stored_report(run: HiddenRun) -> Report:
    """The report of a run that was judged, with its listings."""
    listings = json.loads(zlib.decompress(run.listings)) if run.listings else {}
    return replace(judge_report.from_json(run.body or {}), listings=listings)


def ring() -> None:
    """Wake workers for the first runs that wait. The sweeps ring again for what still waits."""
    first = HiddenRun.objects.filter(_waiting()).order_by("pk")[: doorbell.MOST_RINGS]
    doorbell.ring_for(Counter(map(_queue_of, first.values_list("submission__gpu_model", flat=True))))


def _queue_of(gpu_model: str) -> str:
    """Where to ring for a run. One that asks for no GPU any worker takes, and all of them hear CPU."""
    return queue_of_model(gpu_model) if gpu_model else CPU


@transaction.atomic
def _hand_back_expired(held: HiddenClaim, moment: datetime | DatabaseNow) -> None:
    # Takes the row's lock, so that nobody extends it now.
    if _held(held).filter(lease_until__lt=moment).update(worker=""):
        hand_back(held, failed=True)


def _columns(run: HiddenRun, submission: Submission, report: Report) -> dict[str, object]:
    score = report.score
    return {
        "state": RunState.JUDGED,
        "lease_until": None,
        "verdict": report.verdict.value,
        "message": report.message,
        "version": report.environment.get("problem_version") or _version(run, submission),
        "gpu_model": report.environment.get("gpu", "")[:STAMP_CHARACTERS],
        "score_us": score.median_us if score else None,
        "low_us": score.low_us if score else None,
        "high_us": score.high_us if score else None,
        "change": _change(run, report),
        "body": judge_report.to_json(replace(report, listings={})),
        "listings": zlib.compress(json.dumps(dict(report.listings)).encode()) if report.listings else None,
        "finished": timezone.now(),
    }


def _version(run: HiddenRun, submission: Submission) -> str:
    """What a judge that loads no package was to judge by."""
    if run.package_id is None:
        return submission.version
    return PackageVersion.objects.values_list("version", flat=True).get(pk=run.package_id)


def _change(run: HiddenRun, report: Report) -> Change:
    if report.verdict in {Verdict.INTERNAL_ERROR, Verdict.CANCELLED}:
        return Change.FAILED
    if report.verdict.value != run.old_verdict:
        return Change.VERDICT
    if report.score is None or run.old_low_us is None or run.old_high_us is None:
        return Change.SAME
    if report.environment.get("gpu", "") != run.old_gpu_model:
        return Change.OTHER_GPU
    if report.score.high_us < run.old_low_us:
        return Change.FASTER
    return Change.SLOWER if report.score.low_us > run.old_high_us else Change.SAME


def _waiting() -> Q:
    return Q(state=RunState.QUEUED, rejudge__state=RejudgeState.RUNNING)


def _fitting(gpu_models: Collection[str]) -> Q:
    if gpu_models or not offered_gpu_models():
        return Q(submission__gpu_model__in={"", *gpu_models})
    return Q(submission__gpu_model="", old_gpu_model="")


def _claimable() -> Q:
    expired = Q(
        state=RunState.LEASED,
        lease_until__lt=DatabaseNow(),
        tries__lt=settings.WARPCOURT.max_tries,
        rejudge__state=RejudgeState.RUNNING,
    )
    return _waiting() | expired


def _held(held: HiddenClaim) -> QuerySet[HiddenRun]:
    return HiddenRun.objects.filter(pk=held.run_id, attempt=held.attempt, state=RunState.LEASED)


def _lease_end() -> CombinedExpression:
    return DatabaseNow() + timedelta(seconds=settings.WARPCOURT.lease_s)


def _gave_up() -> Report:
    return Report(Verdict.INTERNAL_ERROR, "The judge failed on this submission several times.")
