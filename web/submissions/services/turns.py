"""Fair share: whose turn it is among jobs that are as urgent.

Theory of operation. A job's `turn` is how many jobs its user had under way when it was handed in. Claims go
by turn before they go by time, so somebody who hands in five programs has one of them judged, then waits
until everybody else had one. When a job is over, those of its user that came after it move up; each keeps the
time at which it was handed in. So nobody is overtaken for ever by people who come one program at a time. The
turns are counted anew rather than lowered by one: a move that was lost with its process is made good by the
next.

Rejudges are asked for by staff: they take no turn of their user's, and do not count as under way.
"""

from functools import partial

from django.db import transaction
from django.db.models import QuerySet, Subquery

from web.accounts.models import User
from web.submissions.models import Job, Priority, Status, Submission


def under_way(user: User | Subquery) -> QuerySet[Job]:
    """The jobs of a user that wait or are judged, in the order of their turns, without rejudges."""
    jobs = Job.objects.filter(user=user, priority__gt=Priority.REJUDGE).exclude(status=Status.DONE)
    return jobs.order_by("queued", "pk")


def move_up_on_commit(submission_id: int) -> None:
    """Let its user's jobs move up once the caller's transaction, which ends this one, is committed.

    Not in that transaction: two that end jobs of one user would each wait for the row that the other holds.
    """
    # The verdict is in, whatever becomes of this.
    transaction.on_commit(partial(move_up, submission_id), robust=True)


def move_up(submission_id: int) -> None:
    """Count the turns of its user's waiting jobs anew. No turn ever grows."""
    user = Subquery(Submission.objects.filter(pk=submission_id).values("user"))
    for turn, job in enumerate(under_way(user).only("status", "turn")):
        if job.status == Status.QUEUED and job.turn > turn:
            Job.objects.filter(pk=job.pk, status=Status.QUEUED, turn__gt=turn).update(turn=turn)
