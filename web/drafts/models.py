"""Drafts by user, problem and language, with their earlier texts; and a note per user and problem."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from problems.vocabulary import Language
from web.catalog.models import Problem


class Draft(models.Model):
    """A program that a user is writing. `revision` grows by one with every save."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="drafts")
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="drafts")
    language = models.CharField(max_length=8, choices=[(known.value, known.value) for known in Language])
    source = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=0)
    saved = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "problem", "language"], name="draft_once"),
            models.CheckConstraint(condition=Q(language__in=[*Language]), name="draft_language_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} {self.problem} {self.language} {self.revision}"


class DraftRevision(models.Model):
    """The text of a draft at an earlier revision. Not every revision is kept; see `services`."""

    draft = models.ForeignKey(Draft, models.CASCADE, related_name="revisions")
    revision = models.PositiveIntegerField()
    source = models.TextField()
    saved = models.DateTimeField()

    class Meta:
        ordering = ["-revision"]
        constraints = [models.UniqueConstraint(fields=["draft", "revision"], name="draft_revision_once")]

    def __str__(self) -> str:
        return f"{self.draft_id} {self.revision}"


class Note(models.Model):
    """A user's private note about a problem, with a bookmark.

    `revision` grows by one with every save of the text.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notes")
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="notes")
    text = models.TextField(blank=True)
    bookmarked = models.BooleanField(default=False)
    revision = models.PositiveIntegerField(default=0)
    changed = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "problem"], name="note_once")]

    def __str__(self) -> str:
        return f"{self.user} {self.problem}"
