"""Which job a worker takes next.

Theory of operation. Of what a worker may take, the most urgent comes first; of jobs as urgent, everybody's
first before anybody's second (`turns`); of those, the one that waits longest. Each queue's next job is the
head of an index, so one query finds the heads of all queues that the worker serves and takes the first of
them, in the same time whether ten wait or a hundred thousand. Jobs that lost workers hold are at most as many
as there are workers: those are looked through.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import Q, QuerySet, Subquery

from web.clock import DatabaseNow
from web.submissions.models import Job, Status

ORDER = ("-priority", "turn", "queued", "pk")


@dataclass(frozen=True, slots=True)
class NextJob:
    """A job that may be taken, as it was read. It may be gone by now: name its attempt in the claim."""

    pk: int
    attempt: int
    submission_id: int


def next_job(queues: Collection[str]) -> NextJob | None:
    """The job that a worker which serves `queues` takes next; None when there is none. One query."""
    heads = [*(_first(in_line(queue)) for queue in queues), _first(_expired(queues))]
    candidates = Job.objects.filter(reduce(or_, (Q(pk=head) for head in heads)))
    row = candidates.order_by(*ORDER).values_list("pk", "attempt", "submission_id").first()
    return NextJob(*row) if row else None


def in_line(queue: str) -> QuerySet[Job]:
    """What waits in `queue`, in the order of claims, which an index has."""
    return Job.objects.filter(status=Status.QUEUED, queue=queue).order_by(*ORDER)


def claimable() -> Q:
    """What may be taken: what waits, and what a lost worker holds and may be tried again."""
    return Q(status=Status.QUEUED) | _may_be_tried_again()


def _may_be_tried_again() -> Q:
    return Q(
        status=Status.LEASED,
        lease_until__lt=DatabaseNow(),
        cancel_requested=False,
        tries__lt=settings.WARPCOURT.max_tries,
    )


def _expired(queues: Collection[str]) -> QuerySet[Job]:
    return Job.objects.filter(_may_be_tried_again(), queue__in=queues).order_by(*ORDER)


def _first(jobs: QuerySet[Job]) -> Subquery:
    return Subquery(jobs.values("pk")[:1])
