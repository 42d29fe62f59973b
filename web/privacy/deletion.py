"""Deletes accounts.

Theory of operation. The first transaction deactivates the account for good and records that its deletion has
begun. The rest runs in rounds of short transactions, because verdicts of all users need the same tallies, and
leases would run out while they wait. If the process ends in between, the sweeps of the workers finish the
deletion. A transaction locks the row of the user, as all writes of the user do, so two processes never delete
the same rows. Requests that began before the first transaction may still write, and workers may still record
verdicts. So each round deletes again what the first one has deleted, and the last transaction deletes all
that is left.

The order within a round matters. Boards and tallies drop the user's results while the reports still exist.
The latest submissions are deleted first: a waiting job ends with them, and a worker that judges one loses its
lease and ends the sandbox. The audit log of staff keeps the name of the account. A thread with posts of other
users keeps its subject and those posts. A problem with other authors or with learners stays.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from web.accounts.models import AccountDeletion, User
from web.authoring.services.account_deletion import forget_workspaces
from web.discussion.services.account_deletion import forget_posts
from web.fleet.models import NodeInvitation
from web.submissions.models import Job, Submission
from web.submissions.services import progress

_BATCH = 200  # submissions in a transaction
_AT_ONCE = 10  # accounts in a sweep
_INTERRUPTED_AFTER = timedelta(minutes=1)


class LastSuperuser(Exception):
    """Raised if no user would remain who can appoint members of staff."""


def delete_account(user: User, *, announce: Callable[[User], None] | None = None) -> None:
    """Delete `user` and all data of the account, in many transactions.

    `announce` is called once the account is deactivated, while it still has its data. The sweeps of the
    workers finish the deletion if it raises.

    Raises:
        LastSuperuser: there is no other active superuser.
    """
    _begin(user)
    if announce is not None:
        announce(user)
    while _delete_some(user.pk):
        pass


def go_on() -> None:
    """Run a round of each deletion that was interrupted, or that began more than a minute ago.

    Any number of workers may call this. It waits for no process that is deleting the same account.
    """
    begun = AccountDeletion.objects.filter(began__lt=timezone.now() - _INTERRUPTED_AFTER)
    for pk in list(begun.order_by("began").values_list("pk", flat=True)[:_AT_ONCE]):
        _delete_some(pk, wait=False)


@transaction.atomic
def _begin(user: User) -> None:
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if user.is_superuser and not _others(user).exists():
        raise LastSuperuser("You are the only superuser. Create another one first.")
    user.is_active = False
    user.save(update_fields=["is_active"])
    AccountDeletion.objects.get_or_create(user=user)
    for session in UserSession.objects.filter(user=user):
        session.end()


def _delete_some(pk: int, *, wait: bool = True) -> bool:
    """Run a round. Return whether another one is needed."""
    more = False
    for delete in (progress.forget, forget_posts, forget_workspaces, _delete_batch):
        with _locked(pk, wait=wait) as user:
            if user is None:
                return False
            more = bool(delete(user))
    return more


@contextmanager
def _locked(pk: int, *, wait: bool) -> Iterator[User | None]:
    """Open a transaction and lock the user.

    Yields None if the account is gone, or if it is locked and `wait` is false.

    The key stays unlocked until the end. Otherwise a deadlock is possible: a transaction that has locked a
    thread or a solution may refer to the user, while this transaction waits for the thread.
    """
    with transaction.atomic():
        yield User.objects.select_for_update(no_key=True, skip_locked=not wait).filter(pk=pk).first()


def _delete_batch(user: User) -> bool:
    """Delete the latest submissions, or the account if there are none. Return whether there were any."""
    batch = [*Submission.objects.filter(user=user).order_by("-pk").values_list("pk", flat=True)[:_BATCH]]
    if batch:
        # Workers lock the job before they write about its submission, so nothing is added meanwhile.
        list(Job.objects.filter(submission__in=batch).order_by("pk").select_for_update().values_list("pk"))
        Submission.objects.filter(pk__in=batch).delete()
        return True
    progress.forget(user)
    forget_posts(user)
    forget_workspaces(user)
    NodeInvitation.objects.filter(personal__owner=user).delete()
    User.objects.select_for_update().get(pk=user.pk).delete()
    return False


def _others(user: User) -> QuerySet[User]:
    return User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
