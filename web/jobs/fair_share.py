"""Fair share: the order among users of jobs with the same urgency.

Theory of operation. A job's `fair_share_rank` is the number of open jobs of its owner when it was queued.
Claims sort by rank before time. If a user submits five programs, one is judged; the others wait until every
other user had one. When a job ends, the later jobs of its owner move up and keep the time at which they were
queued. So users who submit one job at a time cannot overtake another user for ever.

A move counts the ranks again instead of decrementing them. If a process dies before its move, the next move
corrects the ranks.

Rejudges take no share of the author's and do not count as open jobs.
"""

from functools import partial
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet

from web.jobs.models import OPEN, REJUDGED, JobState, LeasedJob

J = TypeVar("J", bound=LeasedJob)


def open_jobs(owned: QuerySet[J]) -> QuerySet[J]:
    """Return the unfinished jobs of one owner in the order of their ranks."""
    return owned.filter(state__in=OPEN, priority__gt=REJUDGED).order_by("queued", "pk")


def move_up_on_commit(owned: QuerySet[J]) -> None:
    """Move an owner's jobs up once the caller's transaction, which ends one of them, is committed.

    It cannot happen in that transaction: two transactions that end jobs of one owner would each wait for the
    row that the other holds.
    """
    # The job is over, even if this fails.
    transaction.on_commit(partial(move_up, owned), robust=True)


def move_up(owned: QuerySet[J]) -> None:
    """Count the ranks of an owner's waiting jobs again. No rank ever grows."""
    for rank, job in enumerate(open_jobs(owned).only("state", "fair_share_rank")):
        if job.state == JobState.QUEUED and job.fair_share_rank > rank:
            behind = owned.model._default_manager.filter(pk=job.pk, fair_share_rank__gt=rank)  # noqa: SLF001
            behind.filter(state=JobState.QUEUED).update(fair_share_rank=rank)
