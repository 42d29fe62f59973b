"""Deletes accounts.

The order matters. Jobs are cancelled first: a waiting job ends at once, and a worker that judges loses its
lease and ends the sandbox. Then boards and tallies drop the user's results while the reports still exist. The
audit log of staff keeps the name of the account. A thread with posts of other users keeps its subject and
those posts. A problem with other authors or with learners stays.
"""

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import QuerySet

from web.accounts.models import User
from web.authoring.services.account_deletion import forget_workspaces
from web.discussion.services.account_deletion import forget_posts
from web.fleet.models import NodeInvitation
from web.jobs.models import JobState
from web.submissions import services as submissions
from web.submissions.models import Submission
from web.submissions.services import progress

_BATCH = 200  # submissions in memory at a time


class LastSuperuser(Exception):
    """Raised if no user would remain who can appoint members of staff."""


@transaction.atomic
def delete_account(user: User) -> None:
    """Delete `user` and all data of the account, in one transaction.

    Raises:
        LastSuperuser: there is no other active superuser.
    """
    # All writes of the user wait for this lock. The key stays unlocked until the end. Otherwise a deadlock is
    # possible: a transaction that has locked a thread or a solution may refer to the user, while this
    # transaction waits for the thread.
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if user.is_superuser and not _others(user).exists():
        raise LastSuperuser("You are the only superuser. Create another one first.")
    for submission in Submission.objects.filter(user=user).exclude(job__state=JobState.DONE):
        submissions.cancel(submission)
    progress.forget(user)
    forget_posts(user)
    forget_workspaces(user)
    NodeInvitation.objects.filter(personal__owner=user).delete()
    for session in UserSession.objects.filter(user=user):
        session.end()
    own = Submission.objects.filter(user=user).order_by("pk")
    while batch := [*own.values_list("pk", flat=True)[:_BATCH]]:
        Submission.objects.filter(pk__in=batch).delete()
    User.objects.select_for_update().get(pk=user.pk).delete()


def _others(user: User) -> QuerySet[User]:
    return User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
