"""Versions of problems. A row is written once; the package in it never changes."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

HASH_CHARACTERS = 64
NOTE_CHARACTERS = 300


class Origin(models.TextChoices):
    """The source of a version: a folder of the site, or an author who published it."""

    SITE = "site", "The site"
    AUTHOR = "author", "An author"


class PackageVersion(models.Model):
    """A frozen package.

    `content_hash` identifies all of its files. `version` is a hash of the parts that can change a verdict:
    versions that differ only in texts share it, and their scores rank together. The problem's live version is
    `problem.package`. `mistakes` comes from a proof of the same files. Lists omit `archived` versions; their
    submissions still refer to them.
    """

    problem = models.ForeignKey("catalog.Problem", models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(help_text="Counts from 1 for each problem.")
    content_hash = models.CharField(max_length=HASH_CHARACTERS, help_text="SHA-256 over all files.")
    version = models.CharField(
        max_length=HASH_CHARACTERS, help_text="Changes with everything that can change a verdict."
    )
    archive = models.BinaryField(help_text="The folder as a ZIP file.")
    size_bytes = models.PositiveIntegerField(help_text="Size of the archive.")
    origin = models.CharField(max_length=6, choices=Origin.choices)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="published_versions"
    )
    note = models.CharField(max_length=NOTE_CHARACTERS, blank=True, help_text="Changes in this version.")
    mistakes = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        blank=True,
        help_text="Wrong solutions with their verdicts, where a proof told them; see web.packages.mistakes.",
    )
    archived = models.BooleanField(default=False)
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["problem", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["problem", "number"], name="package_number_unique"),
            models.UniqueConstraint(fields=["problem", "content_hash"], name="package_content_unique"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="package_origin_known"),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"
