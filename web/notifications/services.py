"""Writes about notifications."""

from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from web.accounts.models import User
from web.notifications.models import BY_MAIL, Kind, MailChoice, Notification, OutgoingMail

KEPT_FOR = timedelta(days=90)
MOST_RECIPIENTS = 100


@transaction.atomic
def notify(
    users: Iterable[int],
    kind: Kind,
    *,
    subject: str,
    topic: str,
    url: str,
    actor: User | None = None,
    detail: str = "",
    mail_pause: timedelta | None = None,
) -> int:
    """Notify the users with these keys, except `actor`. Return how many got a notification.

    At most `MOST_RECIPIENTS` users are notified, none of them inactive. A user with an unread notification
    of this kind about `topic` gets no second one; the caller locks what the topic names, so that this also
    holds for two events at the same time. With `mail_pause`, a user who got a notification of this kind from
    `actor` within that time gets no email about this one, whatever the topic of the earlier one, and even if
    it was read. Call this in the transaction of the event: emails are only queued here, and
    `web.notifications.mailing` sends them.
    """
    wanted = {key for key in users if actor is None or key != actor.pk}
    earlier = Notification.objects.filter(user__in=wanted, kind=kind)
    waits = set(earlier.filter(topic=topic, read=None).values_list("user_id", flat=True))
    spared = set[int]()
    if mail_pause:
        recent = earlier.filter(actor=actor, created__gt=timezone.now() - mail_pause)
        spared.update(recent.values_list("user_id", flat=True))
    active = User.objects.filter(pk__in=wanted - waits, is_active=True).order_by("pk")[:MOST_RECIPIENTS]
    made = Notification.objects.bulk_create(
        Notification(
            user_id=key, kind=kind, actor=actor, subject=subject, topic=topic, url=url, detail=detail
        )
        for key in active.values_list("pk", flat=True)
    )
    choices = MailChoice.objects.filter(user__in=[row.user_id for row in made], kind=kind)
    chosen = dict(choices.values_list("user_id", "by_mail"))
    OutgoingMail.objects.bulk_create(
        OutgoingMail(notification=row)
        for row in made
        if row.user_id not in spared and chosen.get(row.user_id, kind in BY_MAIL)
    )
    return len(made)


def mark_read(user: User, pk: int | None = None) -> int:
    """Mark a notification of `user` as read, or all of them. Return how many were unread."""
    unread = Notification.objects.filter(user=user, read=None)
    if pk is not None:
        unread = unread.filter(pk=pk)
    return unread.update(read=timezone.now())


def mark_topic_read(users: Iterable[int], kind: Kind, topic: str) -> int:
    """Mark the notifications of these users of this kind about `topic` as read. Return how many were unread.

    Call this when they are out of date. Emails about them that still wait are not sent.
    """
    unread = Notification.objects.filter(user__in=users, kind=kind, topic=topic, read=None)
    return unread.update(read=timezone.now())


@transaction.atomic
def choose_mail(user: User, wanted: Iterable[Kind], offered: Iterable[Kind]) -> None:
    """Store which of the `offered` kinds `user` wants by email."""
    by_mail = set(wanted)
    for kind in offered:
        MailChoice.objects.update_or_create(user=user, kind=kind, defaults={"by_mail": kind in by_mail})
