"""The queue of sets to be imported. The rest is `web.jobs.queue`.

Theory of operation. No user waits for an import, so a worker takes one only when no submission and no proof
waits. The database is written at the end, in one transaction: the problems that came in and the report about
them, or nothing. A set that is imported twice, because a worker was lost, is the same as once: files that say
what they said make no new revision.
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
}


class ImportQueue(JobQueue[ImportRun]):
    """Sets that instructors and staff bring in."""

    model = ImportRun
    owner = "by"
    fresh = {"progress": ""}

    def rows(self) -> QuerySet[ImportRun]:
        """With the user who asked for it."""
        return ImportRun.objects.select_related("by")

    def show_progress(self, run: ImportRun, text: str) -> None:
        """Say which problem is looked at.

        Raises:
            LeaseLost: the import is no longer this worker's.
        """
        self.tell(run, progress=text[:200])

    @transaction.atomic
    def record(self, run: ImportRun, problems: Iterable[Imported]) -> bool:
        """Make workspaces of the problems and keep the report. False: the lease was lost."""
        if not self._end(run):
            return False
        if run.by is None:  # they left the site meanwhile
            return self._keep(run, failure="The user who requested this import was deleted.")
        results = [persist(run.by, found).as_json() for found in problems]
        return self._keep(run, report={"format": run.format, "problems": results})

    @transaction.atomic
    def record_failure(self, run: ImportRun, failure: str) -> bool:
        """Keep why nothing came of it. False: the lease was lost."""
        return self._end(run, failure=failure)

    def fail(self, run: ImportRun, failure: Failure) -> bool:
        """Keep that it was not its owner's fault."""
        return self.record_failure(run, _MESSAGES[failure])

    def _end(self, run: ImportRun, **columns: Any) -> bool:
        return self.finish(run, archive=None, finished=timezone.now(), **columns)

    def _keep(self, run: ImportRun, **columns: Any) -> bool:
        return ImportRun.objects.filter(pk=run.pk).update(**columns) > 0


queue = ImportQueue()
