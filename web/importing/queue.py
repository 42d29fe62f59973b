"""The queue of imports. The rest is `web.jobs.queue`.

Theory of operation. No user waits for an import, so a worker takes one only when no submission and no proof
waits. One transaction for each problem stores its workspace and adds it to the report. If a worker is lost,
the next one reads the report and continues with the first problem that is not in it. Only tries without a
new problem count: a set may take longer than one claim lasts, and a problem that ends its worker three times
ends the import.
"""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from problems.importing.report import Imported
from web.accounts.models import User
from web.authoring import rights
from web.importing.models import ImportRun
from web.importing.persistence import persist, storable_text
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


class RightLost(Exception):
    """Raised when the user who requested an import may no longer write problems."""


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
        self.tell(run, progress=storable_text(text)[:200])

    def record_problem(self, run: ImportRun, by: User, found: Imported) -> None:
        """Create a workspace of `by` from the next problem, and add it to the report.

        Raises:
            LeaseLost: the import is no longer this worker's. Nothing was stored.
            RightLost: see the class. Nothing was stored.
        """
        with transaction.atomic():
            self.tell(run)
            now = User.objects.filter(pk=by.pk, is_active=True).first()
            if now is None or not now.has_perm(rights.CREATE):
                raise RightLost(
                    "Only instructors and staff can write problems, and you are neither any more."
                )
            result = persist(now, found).as_json()
            report = {"format": run.format, "problems": [*problems_of(run), result]}
            self.tell(run, report=report, tries=1)
        run.report = report

    @transaction.atomic
    def record(self, run: ImportRun) -> bool:
        """End an import of which all problems are recorded. Return False if the lease was lost."""
        return self._end(run, report=run.report or {"format": run.format, "problems": []})

    @transaction.atomic
    def record_failure(self, run: ImportRun, failure: str) -> bool:
        """Store why the import has no result. Return False if the lease was lost."""
        return self._end(run, failure=failure)

    def fail(self, run: ImportRun, failure: Failure) -> bool:
        """Store that the import failed through no fault of its owner. Return False if the lease was lost."""
        return self.record_failure(run, _MESSAGES[failure].format(folder=run.folder))

    def _end(self, run: ImportRun, **columns: Any) -> bool:
        return self.finish(run, archive=None, finished=timezone.now(), **columns)


def problems_of(run: ImportRun) -> list[dict[str, Any]]:
    """Return the results of the problems that are done, in the order of the set."""
    found: list[dict[str, Any]] = (run.report or {}).get("problems", [])
    return found


queue = ImportQueue()
