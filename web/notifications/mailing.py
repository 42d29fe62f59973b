"""Sends the emails about notifications.

Theory of operation. An event writes a row of `OutgoingMail` in its own transaction, so no email is lost and
no request waits for the mail server. The sweeps of the workers send the emails that are due. A sweep claims
one with a conditional UPDATE that also sets the time of the next try; then it sends the email and deletes the
row. If a worker dies in between, the email is sent again. A mail server that fails ends the round; an address
that is refused does not, because it must not delay the emails of others. After `MAX_TRIES`, an email is
dropped, but the notification on the site stays.

Workers may have no route to the mail server: with Compose, only the sweeper has one. So a sweep connects
before it claims anything, and a process that cannot connect leaves the emails alone for some minutes.
"""

import time
from datetime import timedelta
from smtplib import SMTPException, SMTPRecipientsRefused

import structlog
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string
from django.utils import timezone

from web.notifications.models import Notification, OutgoingMail

log = structlog.get_logger(__name__)
MAX_TRIES = 10
_AT_ONCE = 20
_ROUND_S = 5.0  # longer rounds would delay the sweeps that return lost jobs
_FIRST_PAUSE = timedelta(minutes=1)
_RECONNECT_S = 300.0
_OF_ONE_ADDRESS = (SMTPRecipientsRefused, ValueError)


class _Pause:
    """The time until which this process does not try to reach the mail server."""

    until = 0.0


def send_due() -> int:
    """Send the emails that are due, for a few seconds. Return how many were sent."""
    ends, sent = time.monotonic() + _ROUND_S, 0
    if time.monotonic() < _Pause.until:
        return 0
    due = OutgoingMail.objects.filter(due__lte=timezone.now())
    rows = list(due.select_related("notification__user", "notification__actor")[:_AT_ONCE])
    if not rows:
        return 0
    connection = _connect()
    if connection is None:
        return 0
    for row in rows:
        if time.monotonic() > ends:
            break
        if not _claim(row):
            continue  # another worker got there first
        error = _try(row, connection)
        sent += error is None
        if error is not None and not isinstance(error, _OF_ONE_ADDRESS):
            break
    connection.close()
    return sent


def _connect() -> BaseEmailBackend | None:
    """Return a connection to the mail server, or None if this process cannot reach it."""
    connection: BaseEmailBackend = get_connection()
    try:
        connection.open()
    except (SMTPException, OSError) as error:
        _Pause.until = time.monotonic() + _RECONNECT_S
        log.warning("mail_server_unreachable", error=type(error).__name__, retry_s=_RECONNECT_S)
        return None
    return connection


def _claim(row: OutgoingMail) -> bool:
    pause = _FIRST_PAUSE * 2**row.tries
    mine = OutgoingMail.objects.filter(pk=row.pk, due=row.due, tries=row.tries)
    return mine.update(due=timezone.now() + pause, tries=row.tries + 1) > 0


def _try(row: OutgoingMail, connection: BaseEmailBackend) -> Exception | None:
    """Send the email. Return the error, None if the mail server accepted it or no email is to be sent."""
    notification = row.notification
    try:
        message = _message(notification, connection)
        if message is not None:
            message.send()
    except (SMTPException, OSError, ValueError) as error:
        last = row.tries + 1 >= MAX_TRIES
        log.warning(
            "mail_dropped" if last else "mail_failed",
            notification_id=notification.pk,
            tries=row.tries + 1,
            error=type(error).__name__,
        )
        if last:
            OutgoingMail.objects.filter(pk=row.pk).delete()
        return error
    OutgoingMail.objects.filter(pk=row.pk).delete()
    return None


def _message(notification: Notification, connection: BaseEmailBackend) -> EmailMessage | None:
    """Return the email.

    Return None if the notification was read in the meantime, or the user has no verified address.
    """
    address = EmailAddress.objects.get_primary(notification.user)
    if notification.read or not notification.user.is_active or not address or not address.verified:
        return None
    site = settings.WARPCOURT.public_url
    body = render_to_string("notifications/email/message.txt", {"notification": notification, "site": site})
    subject = settings.ACCOUNT_EMAIL_SUBJECT_PREFIX + " ".join(notification.text.split())
    return EmailMessage(subject, body, to=[address.email], connection=connection)
