"""The queue of imports. The rest is `web.jobs.queue`.

Theory of operation. No user waits for an import, so a worker takes one only when no submission and no proof
waits. One transaction at the end writes the database: all problems and their report, or nothing. If a worker
is lost and the set is imported twice, the result is the same, because unchanged files make no new revision.
"""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from problems.importing.report import Imported
from web.importing.models import ImportRun
from web.importing.persistence import persist
from web.jobs.queue import Failure, JobQueue

PRIORITY = 10
_MESSAGES = {
    Failure.TRIES_USED: (
        "The import failed several times. Try again. Staff can find the reason in the worker's log."
    ),
    Failure.WORKER_HUNG: (
        "The judge could not read this set in time. Remove unusually long or deeply nested content."
    ),
    Failure.NO_HOST: (
        "No worker has the folder {folder} below its WARPCOURT_IMPORTS_DIR. Copy the folder to the host of a"
        " worker, or correct the path. Then import it again."
    ),
}


class ImportQueue(JobQueue[ImportRun]):
    """The queue of imports that instructors and staff requested."""

    model = ImportRun
    owner = "by"
    fresh = {"progress": ""}

    def rows(self) -> QuerySet[ImportRun]:
        """Return the rows with the user who requested them."""
        return ImportRun.objects.select_related("by")

    def show_progress(self, run: ImportRun, text: str) -> None:
        """Record which problem the worker is importing.

        Raises:
            LeaseLost: the import is no longer this worker's.
        """
        self.tell(run, progress=text[:200])

    @transaction.atomic
    def record(self, run: ImportRun, problems: Iterable[Imported]) -> bool:
        """Create workspaces from the problems and store the report. Return False if the lease was lost."""
        if not self._end(run):
            return False
        if run.by is None:  # the account was deleted in the meantime
            return self._keep(run, failure="The user who requested this import was deleted.")
        results = [persist(run.by, found).as_json() for found in problems]
        return self._keep(run, report={"format": run.format, "problems": results})

    @transaction.atomic
    def record_failure(self, run: ImportRun, failure: str) -> bool:
        """Store why the import has no result. Return False if the lease was lost."""
        return self._end(run, failure=failure)

    def fail(self, run: ImportRun, failure: Failure) -> bool:
        """Store that the import failed through no fault of its owner. Return False if the lease was lost."""
        return self.record_failure(run, _MESSAGES[failure].format(folder=run.folder))

    def _end(self, run: ImportRun, **columns: Any) -> bool:
        return self.finish(run, archive=None, finished=timezone.now(), **columns)

    def _keep(self, run: ImportRun, **columns: Any) -> bool:
        return ImportRun.objects.filter(pk=run.pk).update(**columns) > 0


queue = ImportQueue()
