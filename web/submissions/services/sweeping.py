"""What workers sweep up: jobs of lost workers, and rings that nobody heard.

Theory of operation.

The job's row is the outbox. A message that has to reach a broker once its transaction is committed is
usually written into a table beside it, and sent from there by a relay that marks it as sent. Here the message
says nothing but "look into the table", so a row that is still queued says all that an outbox's row would, and
the claim that takes it is the mark. The relay is the sweep: it rings for what is queued for longer than a
ring takes to be heard, whether the web process died between commit and ring, the broker was away, or the
worker that heard it died before it claimed.

Rings are counted before they are sent: as many as the broker still holds are left out, so that they do not
pile up while all workers are busy. Nothing expires, since that would compare the clocks of two hosts.

Any number of workers may sweep at a time, and any may die in the middle. Each job is moved by one transaction
whose conditional UPDATE comes first and names the attempt; of two sweeps the second finds nothing to do, and
of one that was killed the next does the rest. What has expired the database's clock says.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.expressions import CombinedExpression

from judge.report import Report
from problems.vocabulary import Verdict
from web.clock import DatabaseNow
from web.submissions import doorbell
from web.submissions.models import EventKind, Job, Status
from web.submissions.services.journal import append, conclude
from web.submissions.services.routing import route

_GAVE_UP = (
    "The judge failed. This was not caused by your code and does not count. Staff can rejudge the submission."
)
_UNREADABLE = (
    "The judge could not read this source in time. This was not caused by your code and does not count. "
    "Staff can rejudge the submission."
)
Moment = datetime | DatabaseNow


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep did, as counts of jobs; `rung` counts rings."""

    requeued: int
    concluded: int
    rung: int


def sweep(*, now: datetime | None = None) -> Swept:
    """Queue jobs again whose worker is gone, end those that cannot go on, and ring for all that wait.

    Jobs younger than the sweep interval are not rung for: their own message is under way. `now` stands for
    the database's clock.
    """
    moment: Moment = now or DatabaseNow()
    route()
    concluded = 0
    requeued: Counter[str] = Counter()
    expired = Job.objects.filter(status=Status.LEASED, lease_until__lt=moment)
    for job in expired.only("submission_id", "attempt", "tries", "cancel_requested", "queue"):
        if job.cancel_requested:
            concluded += _conclude_expired(job, cancelled(), moment)
        elif job.tries >= settings.WARPCOURT.max_tries:
            concluded += _conclude_expired(job, gave_up(), moment)
        else:
            requeued[job.queue] += _requeue_expired(job, moment)
    rung = doorbell.ring_for(requeued | _waiting(moment))
    return Swept(requeued=requeued.total(), concluded=concluded, rung=rung)


def gave_up() -> Report:
    """The report of a job whose tries are used up."""
    return Report(Verdict.INTERNAL_ERROR, _GAVE_UP)


def unreadable() -> Report:
    """The report of a job on which a process of the judge hung."""
    return Report(Verdict.INTERNAL_ERROR, _UNREADABLE)


def cancelled() -> Report:
    """The report of a job that its author cancelled and no worker finished."""
    return Report(Verdict.CANCELLED, "Cancelled by its author.")


def _waiting(moment: Moment) -> Counter[str]:
    """How many jobs wait in each queue for longer than their own ring can take; no more than are rung for."""
    settled = moment - timedelta(seconds=settings.WARPCOURT.sweep_s)
    return Counter({queue: _first_of(queue, settled) for queue in _queues()})


def _queues() -> Iterator[str]:
    """The queues in which something waits. One look into an index for each, however many jobs wait."""
    queued = Job.objects.filter(status=Status.QUEUED).order_by("queue").values_list("queue", flat=True)
    queue = queued.first()
    while queue is not None:
        yield queue
        queue = queued.filter(queue__gt=queue).first()


def _first_of(queue: str, settled: Moment | CombinedExpression) -> int:
    waiting = Job.objects.filter(status=Status.QUEUED, queue=queue, queued__lt=settled)
    return waiting[: doorbell.MOST_RINGS].count()


@transaction.atomic
def _conclude_expired(job: Job, report: Report, moment: Moment) -> bool:
    if not _still_expired(job, moment):
        return False
    return conclude(job.submission_id, attempt=job.attempt, status=Status.LEASED, report=report)


@transaction.atomic
def _requeue_expired(job: Job, moment: Moment) -> bool:
    if not _still_expired(job, moment):
        return False
    Job.objects.filter(pk=job.pk).update(status=Status.QUEUED, lease_until=None, worker="")
    append(job.submission_id, EventKind.RETRIED, {"text": "The worker was lost. Waiting for another worker"})
    return True


def _still_expired(job: Job, moment: Moment) -> bool:
    """Whether nobody extended the lease or took the job meanwhile. Takes the row's lock: nobody will now."""
    mine = Job.objects.filter(pk=job.pk, attempt=job.attempt, status=Status.LEASED, lease_until__lt=moment)
    return mine.update(worker="") > 0
