"""The queue of proofs, trials and previews. The rest is `web.jobs.queue`.

Theory of operation. A worker takes a run only when no learner's submission waits. Authors take turns,
regardless of the kind of run, so that the runs of one author do not block those of another. Among jobs of the
same rank, previews come first and trials next, because the author is waiting on the page. A run that has
waited for AGED is as urgent as a preview, so that a stream of previews does not block it. A run is bound to
one revision, which later writes do not change. A proof that holds makes the workspace ready only if its files
are still those of that revision.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, F, IntegerField, QuerySet, When
from django.utils import timezone

from problems.contents import Contents
from web.authoring import queries
from web.authoring.models import ProofRun, RunKind, Workspace, WorkspaceState
from web.authoring.queries import standing
from web.jobs.queue import Failure, JobQueue
from web.site.clock import DatabaseNow

MOST_STEPS = 200
AGED = timedelta(minutes=5)
PRIORITIES = {RunKind.PREVIEW: 20, RunKind.TRIAL: 15, RunKind.PROOF: 10}
_AGED = When(queued__lt=DatabaseNow() - AGED, then=PRIORITIES[RunKind.PREVIEW])
_MESSAGES = {
    Failure.TRIES_USED: (
        "The judge failed several times. Try again. Staff can find the reason in the worker's log."
    ),
    Failure.WORKER_HUNG: (
        "The judge could not read these files in time. Remove unusually long or deeply nested content."
    ),
    Failure.NO_HOST: "No worker has everything that this problem needs. Ask the operator of the site.",
}


class ProofQueue(JobQueue[ProofRun]):
    """The queue of proofs, trials and previews that authors requested."""

    model = ProofRun
    order = (
        "fair_share_rank",
        Case(_AGED, default=F("priority"), output_field=IntegerField()).desc(),
        "queued",
        "pk",
    )
    owner = "by"
    fresh = {"progress": {}}

    def rows(self) -> QuerySet[ProofRun]:
        """Return the rows with their workspace and revision."""
        return ProofRun.objects.select_related("workspace", "revision__workspace")

    def show_steps(self, run: ProofRun, steps: list[dict[str, Any]]) -> None:
        """Record the current step and the previous ones. Only the latest of `steps` are kept.

        Raises:
            LeaseLost: the run is no longer this worker's.
        """
        self.tell(run, progress={"steps": steps[-MOST_STEPS:], "count": len(steps)})

    @transaction.atomic
    def record(self, run: ProofRun, report: Mapping[str, Any], *, holds: bool | None = None) -> bool:
        """Store the result of a run. Return False, and store nothing, if the lease was lost."""
        return self._end(run, report=dict(report), holds=holds)

    @transaction.atomic
    def record_failure(self, run: ProofRun, failure: str) -> bool:
        """Store for the author why a run has no result. Return False if the lease was lost."""
        return self._end(run, failure=failure, holds=None if run.kind == RunKind.PREVIEW else False)

    def fail(self, run: ProofRun, failure: Failure) -> bool:
        """Store that the run failed through no fault of its author. Return False if the lease was lost."""
        return self.record_failure(run, _MESSAGES[failure])

    def _end(self, run: ProofRun, **columns: Any) -> bool:
        done = self.finish(run, finished=timezone.now(), **columns)
        if done and run.kind == RunKind.PROOF:
            settle(run.workspace_id)
        return done


def contents_of(run: ProofRun) -> Contents:
    """Return the files that `run` proves, tries or previews."""
    return Contents(run.workspace.slug, queries.read_revision(run.revision))


def settle(workspace_id: int) -> None:
    """Set the state of a workspace after its proof, according to its current files."""
    workspace = Workspace.objects.filter(pk=workspace_id, state=WorkspaceState.PROVING).first()
    revision = queries.present_revision(workspace) if workspace else None
    if workspace is None or revision is None:
        return
    mine = Workspace.objects.filter(
        pk=workspace_id, state=WorkspaceState.PROVING, revision=workspace.revision
    )
    mine.update(state=standing(workspace, revision.content_hash))


queue = ProofQueue()
