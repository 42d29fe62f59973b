"""Sets of problems that somebody brings in, and what became of each problem."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

FORMAT_CHARACTERS = 20
FOLDER_CHARACTERS = 400
WORKER_CHARACTERS = 120


class ImportState(models.TextChoices):
    """Where an import stands. A done one has a report, or says in `failure` why there is none."""

    QUEUED = "queued", "Waiting"
    LEASED = "leased", "Importing"
    DONE = "done", "Done"
    CANCELLED = "cancelled", "Cancelled"


class ImportRun(models.Model):
    """A set that a worker imports: the author's Python in it runs in the oracle's sandbox and nowhere else.

    The set is `archive`, a ZIP file that goes once the run is over, or `folder` on the hosts of workers,
    which staff name. With `scale` small timed cases grow. `attempt`, `tries` and the lease are those of
    `submissions.Job`, and work like them. `report` is that of `problems.importing.report`, with the revision
    that each problem became.
    """

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="import_runs"
    )
    format = models.CharField(max_length=FORMAT_CHARACTERS)
    archive = models.BinaryField(null=True, blank=True)
    folder = models.CharField(max_length=FOLDER_CHARACTERS, blank=True)
    scale = models.BooleanField(default=False, db_default=False, help_text="Enlarge timed cases below 1 MiB.")
    state = models.CharField(max_length=9, choices=ImportState.choices, default=ImportState.QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    tries = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=WORKER_CHARACTERS, blank=True)
    progress = models.CharField(max_length=200, blank=True, help_text="The problem that is looked at.")
    report = models.JSONField(null=True, blank=True)
    failure = models.TextField(blank=True)
    created = models.DateTimeField(default=timezone.now, editable=False)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(
                fields=["id"],
                name="import_run_next",
                condition=Q(state__in=[ImportState.QUEUED.value, ImportState.LEASED.value]),
            ),
            models.Index(fields=["by", "-id"], name="import_run_of_person"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=ImportState.values), name="import_run_state_known"),
            models.CheckConstraint(
                condition=Q(state=ImportState.LEASED.value, lease_until__isnull=False)
                | (~Q(state=ImportState.LEASED.value) & Q(lease_until__isnull=True)),
                name="import_run_leased_until",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.format} {self.pk}"

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.state in {ImportState.DONE, ImportState.CANCELLED}
