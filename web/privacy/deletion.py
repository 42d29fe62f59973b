"""The end of an account.

Order matters. Jobs are cancelled first: a waiting one is over, a worker that judges loses its lease when
the row is gone and ends the sandbox. Then boards and tallies forget what the person did, while the
reports that say so are there. Staff's audit log keeps the name with what was done, and a thread in which
others wrote keeps its subject and their posts; a problem that others write too, or learners have, stays.
"""

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import QuerySet

from web.accounts.models import User
from web.authoring.services.account_deletion import forget_workspaces
from web.discussion.services.account_deletion import forget_posts
from web.jobs.models import JobState
from web.submissions import services as submissions
from web.submissions.models import Submission
from web.submissions.services import progress

_BATCH = 200  # submissions whose rows are in memory at a time


class LastSuperuser(Exception):
    """Raised when nobody would be left who may make members of staff."""


@transaction.atomic
def delete_account(user: User) -> None:
    """Delete `user` and all that belongs to them, everything or nothing.

    Raises:
        LastSuperuser: no other active superuser is there.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_superuser and not _others(user).exists():
        raise LastSuperuser("You are the only superuser. Create another one first.")
    for submission in Submission.objects.filter(user=user).exclude(job__state=JobState.DONE):
        submissions.cancel(submission)
    progress.forget(user)
    forget_posts(user)
    forget_workspaces(user)
    for session in UserSession.objects.filter(user=user):
        session.end()
    own = Submission.objects.filter(user=user).order_by("pk")
    while batch := [*own.values_list("pk", flat=True)[:_BATCH]]:
        Submission.objects.filter(pk__in=batch).delete()
    user.delete()


def _others(user: User) -> QuerySet[User]:
    return User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
