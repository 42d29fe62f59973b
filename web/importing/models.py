"""Sets of problems that somebody brings in, and what became of each problem."""

from django.conf import settings
from django.db import models

from web.jobs.models import JobKind, LeasedJob, Listed

FORMAT_CHARACTERS = 20
FOLDER_CHARACTERS = 400


class ImportRun(LeasedJob):
    """A set that a worker imports: the author's Python in it runs in the oracle's sandbox and nowhere else.

    The set is `archive`, a ZIP file that goes once the run is over, or `folder` on the hosts of workers,
    which staff name. With `scale` small timed cases grow. An import that is done has a report, or says in
    `failure` why there is none: `report` is that of `problems.importing.report`, with the revision that each
    problem became.
    """

    listed = Listed(JobKind.IMPORT, subject="format", person="by__username")

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="import_runs"
    )
    format = models.CharField(max_length=FORMAT_CHARACTERS)
    archive = models.BinaryField(null=True, blank=True)
    folder = models.CharField(max_length=FOLDER_CHARACTERS, blank=True)
    scale = models.BooleanField(default=False, db_default=False, help_text="Enlarge timed cases below 1 MiB.")
    progress = models.CharField(max_length=200, blank=True, help_text="The problem that is being imported.")
    report = models.JSONField(null=True, blank=True)
    failure = models.TextField(blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta(LeasedJob.Meta):
        ordering = ["-pk"]
        indexes = [
            *LeasedJob.Meta.indexes,
            models.Index(fields=["by", "-id"], name="import_run_of_person"),
        ]

    def __str__(self) -> str:
        return f"{self.format} {self.pk}"
