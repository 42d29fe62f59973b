"""What workers do with jobs: claim, hold, record, hand back. What they sweep up is in `sweeping`.

Theory of operation.

The row of `Job` is the only truth about who judges a submission. A claim is one conditional UPDATE
that raises `attempt`; from then on every write of that worker says `WHERE attempt = …`, so a worker
that lost its lease (paused, cut off, presumed dead) changes nothing when it comes back, and what it sends
twice is written once. Broker messages carry no data: each says "look into the table", so a lost one costs
latency until the next sweep, and a repeated one finds nothing to claim. Leases are written and compared on
the database's clock, so those of the hosts may be wrong.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.expressions import CombinedExpression

from judge.report import Report
from web import metrics
from web.clock import DatabaseNow
from web.submissions import doorbell
from web.submissions.models import Event, EventKind, Job, Status, Submission
from web.submissions.queues import served_by
from web.submissions.services.claiming import claimable, next_job
from web.submissions.services.journal import append, conclude
from web.submissions.services.sweeping import cancelled, gave_up, unreadable


class LeaseLost(Exception):
    """Raised when a worker writes under a claim that is no longer its own."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to judge `submission`, as long as the lease is extended. `attempt` is the fencing token."""

    submission: Submission
    attempt: int
    tries: int


class Hold(Enum):
    """What a worker learns when it extends its lease."""

    HELD = auto()
    CANCELLED = auto()
    LOST = auto()


def claim(worker: str, *, gpu_models: Collection[str] = ()) -> Claim | None:
    """Take the next job of the queues that a worker with these GPUs serves; None when there is none.

    Which one that is, `claiming` says. Safe to call from any number of workers at a time: the UPDATE names
    the attempt that was read, so of two that read the same row one finds it changed and looks for another.
    """
    queues = served_by(gpu_models)
    while (job := next_job(queues)) is not None:
        with transaction.atomic():
            taken = Job.objects.filter(claimable(), pk=job.pk, attempt=job.attempt).update(
                status=Status.LEASED,
                attempt=F("attempt") + 1,
                tries=F("tries") + 1,
                lease_until=_lease_end(),
                worker=worker,
            )
            if not taken:
                continue  # another worker got there first
            append(job.submission_id, EventKind.CLAIMED, {"text": "Picked up by a worker"})
        submission = Submission.objects.select_related("problem", "job").get(pk=job.submission_id)
        _count_claim(submission.job)
        return Claim(submission, job.attempt + 1, submission.job.tries)
    return None


def extend_lease(held: Claim) -> Hold:
    """Extend the lease by its full length, and learn whether to go on."""
    mine = _held(held)
    if not mine.update(lease_until=_lease_end()):
        return Hold.LOST
    return Hold.CANCELLED if mine.filter(cancel_requested=True).exists() else Hold.HELD


@transaction.atomic
def add_event(held: Claim, kind: EventKind, payload: Mapping[str, object]) -> Event:
    """Tell those who watch about a step.

    Raises:
        LeaseLost: the job is no longer this worker's.
    """
    if not _held(held).update(worker=F("worker")):  # takes the row's lock, so that nobody claims it now
        raise LeaseLost(f"attempt {held.attempt} of {held.submission} is over")
    return append(held.submission.pk, kind, payload)


@transaction.atomic
def record(held: Claim, report: Report) -> bool:
    """Store the report, its cases and the final event. False: the lease was lost, nothing is stored."""
    return conclude(held.submission.pk, attempt=held.attempt, status=Status.LEASED, report=report)


@transaction.atomic
def hand_back(held: Claim, *, failed: bool) -> bool:
    """Give the job up, after a failure of ours or because this worker stops. False if it was lost before.

    A failure counts as a try; when no more are left the verdict is `internal_error`. The next try waits
    for a sweep, which gives a troubled host a moment. Without failure somebody else is rung for at once.
    A job that was to be cancelled is over.
    """
    end = partial(conclude, held.submission.pk, attempt=held.attempt, status=Status.LEASED)
    if _held(held).filter(cancel_requested=True).exists():
        return end(report=cancelled())
    if failed and held.tries >= settings.WARPCOURT.max_tries:
        return end(report=gave_up())
    returned = _held(held).update(
        status=Status.QUEUED, lease_until=None, worker="", tries=F("tries") if failed else F("tries") - 1
    )
    if returned:
        append(held.submission.pk, EventKind.RETRIED, {"text": "Waiting for another worker"})
        if not failed:
            transaction.on_commit(partial(doorbell.ring, held.submission.job.queue))
    return returned > 0


@transaction.atomic
def abandon(submission_id: int, attempt: int) -> bool:
    """End a job on which its worker's process hung. It would hang the next one, so it is not tried again.

    Also when its lease has expired meanwhile and it waits. False if another worker has it, or it is over.
    """
    job = Job.objects.select_for_update().filter(submission=submission_id, attempt=attempt).first()
    if job is None:
        return False
    report = cancelled() if job.cancel_requested else unreadable()
    held = job.status in {Status.LEASED, Status.QUEUED}
    return held and conclude(submission_id, attempt=attempt, status=Status(job.status), report=report)


def _count_claim(job: Job) -> None:
    metrics.CLAIMS.labels(queue=job.queue).inc()
    if job.tries == 1 and job.lease_until:  # later tries have waited for other reasons
        taken = job.lease_until - timedelta(seconds=settings.WARPCOURT.lease_s)
        waited_s = max(0.0, (taken - job.queued).total_seconds())
        metrics.WAIT_SECONDS.labels(queue=job.queue).observe(waited_s)


def _held(held: Claim) -> QuerySet[Job]:
    return Job.objects.filter(submission=held.submission, attempt=held.attempt, status=Status.LEASED)


def _lease_end() -> CombinedExpression:
    return DatabaseNow() + timedelta(seconds=settings.WARPCOURT.lease_s)
