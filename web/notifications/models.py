"""Notifications, the emails that wait to be sent, and the choices of users about emails."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

TEXT_CHARACTERS = 200
TOPIC_CHARACTERS = 60


class Kind(models.TextChoices):
    """The kinds of notifications. The label describes the kind in the settings of an account."""

    REPLY = "reply", "Replies in threads that you take part in"
    ANSWER = "answer", "Answers of instructors to your private questions"
    DECISION = "decision", "Decisions about posts that you reported"
    REPORT = "report", "Posts that users reported"
    VERDICT = "verdict", "Verdicts that a rejudge changed"
    OFFER = "offer", "Offers of the ownership of a problem"
    HANDOVER = "handover", "Answers to your offers of the ownership of a problem"
    ROLE = "role", "Changes of your access to the files of a problem"


# The kinds that are sent by email unless the user chooses otherwise.
BY_MAIL = frozenset({Kind.ANSWER, Kind.OFFER, Kind.HANDOVER})
FOR_STAFF = frozenset({Kind.REPORT})
FOR_AUTHORS = frozenset({Kind.OFFER, Kind.HANDOVER})

_SENTENCES = {
    Kind.REPLY: "{actor} replied in a thread about {subject}.",
    Kind.ANSWER: "{actor} answered your question about {subject}.",
    Kind.DECISION: "Staff decided about the post that you reported, about {subject}.",
    Kind.REPORT: "{actor} reported a post about {subject}.",
    Kind.VERDICT: "A rejudge changed the verdict of your submission to {subject}.",
    Kind.OFFER: "{actor} offers you the ownership of {subject}.",
    Kind.HANDOVER: "{actor} answered your offer of the ownership of {subject}.",
    Kind.ROLE: "{actor} changed your access to {subject}.",
}


class Notification(models.Model):
    """A notification for a user. It contains no text of another user, so moderation need not change it.

    `subject` is the title of a problem. `topic` names the thing that the notification is about: while one
    about a topic is unread, no other of its kind is added. `url` is a path of this site. The notification is
    deleted with the account of `actor`.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notifications")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="caused_notifications"
    )
    subject = models.CharField(max_length=TEXT_CHARACTERS)
    detail = models.CharField(max_length=TEXT_CHARACTERS, blank=True)
    topic = models.CharField(max_length=TOPIC_CHARACTERS)
    url = models.CharField(max_length=TEXT_CHARACTERS)
    created = models.DateTimeField(default=timezone.now, editable=False)
    read = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["user", "-id"], name="notification_by_user"),
            models.Index(
                fields=["user", "kind", "topic"], name="notification_unread", condition=Q(read=None)
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="notification_kind_known")
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.user_id}"

    @property
    def text(self) -> str:
        """Return the notification as a sentence."""
        actor = self.actor.username if self.actor else "Staff"
        return _SENTENCES[Kind(self.kind)].format(actor=actor, subject=self.subject)


class OutgoingMail(models.Model):
    """An email about a notification that waits to be sent. The row is deleted when the email is sent."""

    notification = models.OneToOneField(
        Notification, models.CASCADE, primary_key=True, related_name="outgoing_mail"
    )
    due = models.DateTimeField(default=timezone.now)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["due"]
        indexes = [models.Index(fields=["due"], name="outgoing_mail_due")]

    def __str__(self) -> str:
        return f"mail about {self.notification_id}"


class MailChoice(models.Model):
    """Whether a user wants emails about a kind of notification. Without a row, `BY_MAIL` decides."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="mail_choices")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    by_mail = models.BooleanField()

    class Meta:
        ordering = ["user", "kind"]
        constraints = [
            models.UniqueConstraint(fields=["user", "kind"], name="mail_choice_once"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="mail_choice_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.kind} {'by mail' if self.by_mail else 'on the site'}"
