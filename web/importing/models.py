"""Imports of problem sets, and the result for each problem."""

from django.conf import settings
from django.db import models

from web.jobs.models import JobKind, LeasedJob, Listed

FORMAT_CHARACTERS = 20
FOLDER_CHARACTERS = 400


class ImportRun(LeasedJob):
    """The import of a set by a worker. The author's Python in it runs only in the oracle's sandbox.

    The set is either `archive` or `folder`. `archive` is a ZIP file that is deleted after the run. `folder`
    is a folder on the hosts of the workers, which only staff may name. With `scale`, small timed cases grow.
    `report` grows with each problem. It has the format of `problems.importing.report`, with the revision of
    each problem. If `failure` is set, the import ended early for that reason.
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
