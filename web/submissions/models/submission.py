"""Programs as their authors submitted them."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from problems.vocabulary import Language, Mode
from web.catalog.models import Problem

PUBLIC_ID_CHARACTERS = 12
_ALPHABET = "23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"


def new_public_id() -> str:
    """Return an identifier that cannot be guessed: 69 random bits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(PUBLIC_ID_CHARACTERS))


def may_be_public_id(text: str) -> bool:
    """Return whether `text` has the form of an identifier. If not, skip the query."""
    return text.isascii() and text.isalnum() and len(text) <= PUBLIC_ID_CHARACTERS


class Submission(models.Model):
    """A program as its author submitted it. Only `shared` and `package` change afterwards.

    `package` is the version of the problem that judges it: the live one when it was submitted or rejudged. It
    is empty for submissions that are older than versions.
    """

    public_id = models.CharField(
        max_length=PUBLIC_ID_CHARACTERS, unique=True, default=new_public_id, editable=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="submissions")
    problem = models.ForeignKey(Problem, models.PROTECT, related_name="submissions")
    version = models.CharField(max_length=64, help_text="Version of the problem at the time of submission.")
    # No index: only the deletion of a version would use it, and versions are not deleted.
    package = models.ForeignKey(
        "packages.PackageVersion",
        models.PROTECT,
        null=True,
        blank=True,
        db_index=False,
        related_name="submissions",
        help_text="Problem version that judges it.",
    )
    language = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Language])
    mode = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Mode])
    source = models.TextField()
    sizes = models.JSONField(null=True, blank=True, help_text="Custom sizes of a run.")
    values = models.JSONField(null=True, blank=True, help_text="Custom values of a run, by argument.")
    seed = models.PositiveBigIntegerField(null=True, blank=True, help_text="Custom seed of a run.")
    gpu_model = models.CharField(
        max_length=120, blank=True, default="", db_default="", help_text="Requested GPU model. Empty for any."
    )
    personal_node = models.BooleanField(
        default=False, db_default=False, help_text="Whether a personal node of its author judges it."
    )
    profiled = models.BooleanField(
        default=False, db_default=False, help_text="Whether the run is profiled on a GPU."
    )
    shared = models.BooleanField(
        default=False, db_default=False, help_text="Whether users who solved the problem may read it."
    )
    idempotency_key = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001 - NULL is what makes it unique only where given
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-created", "-id"]
        indexes = [
            models.Index(fields=["user", "-created"], name="submission_by_user"),
            models.Index(fields=["problem", "-created"], name="submission_by_problem"),
            models.Index(fields=["user", "problem"], name="submission_of_user_to_problem"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "idempotency_key"], name="submission_once_per_key"),
            models.CheckConstraint(condition=Q(language__in=[*Language]), name="submission_language_known"),
            models.CheckConstraint(condition=Q(mode__in=[*Mode]), name="submission_mode_known"),
            models.CheckConstraint(
                condition=Q(sizes__isnull=True) | Q(mode=Mode.RUN.value), name="submission_sizes_only_in_runs"
            ),
            models.CheckConstraint(
                condition=Q(values__isnull=True) | Q(mode=Mode.RUN.value, sizes__isnull=False),
                name="submission_values_only_in_runs",
            ),
            models.CheckConstraint(
                condition=Q(personal_node=False) | Q(mode=Mode.RUN.value),
                name="submission_personal_only_runs",
            ),
            models.CheckConstraint(
                condition=Q(profiled=False) | Q(mode=Mode.RUN.value), name="submission_profiled_only_runs"
            ),
            models.CheckConstraint(
                condition=Q(seed__isnull=True) | Q(mode=Mode.RUN.value), name="submission_seed_only_in_runs"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id
