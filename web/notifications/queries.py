"""Reads about the notifications of a user."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from web.accounts.models import User
from web.notifications.models import BY_MAIL, FOR_AUTHORS, FOR_STAFF, Kind, MailChoice, Notification
from web.site.paging import bounded_count

Viewer = User | AnonymousUser


def list_notifications(user: User, *, before: int | None = None) -> QuerySet[Notification]:
    """Return the notifications of `user`, newest first. `before` is the key of the previous page's last."""
    found = Notification.objects.filter(user=user).select_related("actor")
    return found.filter(pk__lt=before) if before is not None else found


def count_unread(viewer: Viewer) -> int:
    """Return the number of unread notifications, bounded as by `web.site.paging.bounded_count`."""
    if not viewer.is_authenticated:
        return 0
    return bounded_count(Notification.objects.filter(user=viewer.pk, read=None))


def kinds_of(user: User) -> list[Kind]:
    """Return the kinds of notifications that `user` can get."""
    if user.is_staff:
        return [*Kind]
    hidden = FOR_STAFF if user.is_instructor else FOR_STAFF | FOR_AUTHORS
    return [kind for kind in Kind if kind not in hidden]


def mailed_kinds(user: User) -> set[Kind]:
    """Return the kinds of notifications that `user` also gets by email."""
    chosen = dict(MailChoice.objects.filter(user=user).values_list("kind", "by_mail"))
    return {kind for kind in kinds_of(user) if chosen.get(kind.value, kind in BY_MAIL)}
