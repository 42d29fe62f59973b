"""Fair share: how jobs of the same urgency are shared out among users.

Theory of operation. A job's `fair_share_rank` is how many open jobs its owner had when it was queued. Claims
go by rank before they go by time, so a user who submits five programs has one of them judged, then waits
until every other user had one. When a job is over, those of its owner that came after it move up; each keeps
the time at which it was queued. So no user is overtaken for ever by users who come with one job at a time.
The ranks are counted again rather than lowered by one: a move that was lost with its process is made good by
the next.

What staff have judged again takes no share of its author's, and is not counted among the open jobs.
"""

from functools import partial
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet

from web.jobs.models import OPEN, REJUDGED, JobState, LeasedJob

J = TypeVar("J", bound=LeasedJob)


def under_way(owned: QuerySet[J]) -> QuerySet[J]:
    """Those of one owner's jobs that wait or are worked on, in the order of their ranks."""
    return owned.filter(state__in=OPEN, priority__gt=REJUDGED).order_by("queued", "pk")


def move_up_on_commit(owned: QuerySet[J]) -> None:
    """Let an owner's jobs move up once the caller's transaction, which ends one of them, is committed.

    Not in that transaction: two that end jobs of one owner would each wait for the row that the other holds.
    """
    # The job is over, whatever becomes of this.
    transaction.on_commit(partial(move_up, owned), robust=True)


def move_up(owned: QuerySet[J]) -> None:
    """Count the ranks of an owner's waiting jobs again. No rank ever grows."""
    for rank, job in enumerate(under_way(owned).only("state", "fair_share_rank")):
        if job.state == JobState.QUEUED and job.fair_share_rank > rank:
            behind = owned.model._default_manager.filter(pk=job.pk, fair_share_rank__gt=rank)  # noqa: SLF001
            behind.filter(state=JobState.QUEUED).update(fair_share_rank=rank)
