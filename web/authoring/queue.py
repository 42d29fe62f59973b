"""The queue of proofs and previews. The rest is `web.jobs.queue`.

Theory of operation. A worker takes one only when no submission of a learner waits. Authors take turns,
whatever they ask for, so that no author's runs keep out another's. Of jobs of the same rank previews come
first, since their author looks at the page; a proof that has waited for AGED is as urgent, so that no stream
of previews holds up a proof. A run is about one revision, which stays as it is whatever is written
meanwhile; only where the files still say the same does a proof that holds make the workspace ready.
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
PRIORITIES = {RunKind.PREVIEW: 20, RunKind.PROOF: 10}
_AGED = When(queued__lt=DatabaseNow() - AGED, then=PRIORITIES[RunKind.PREVIEW])
_MESSAGES = {
    Failure.TRIES_USED: (
        "The judge failed several times. Try again. Staff can find the reason in the worker's log."
    ),
    Failure.WORKER_HUNG: (
        "The judge could not read these files in time. Remove unusually long or deeply nested content."
    ),
}


class ProofQueue(JobQueue[ProofRun]):
    """Proofs and previews that their authors asked for."""

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
        """With the workspace and the revision."""
        return ProofRun.objects.select_related("workspace", "revision__workspace")

    def show_steps(self, run: ProofRun, steps: list[dict[str, Any]]) -> None:
        """Say what is done now and what was before: `steps`, of which the latest are kept.

        Raises:
            LeaseLost: the run is no longer this worker's.
        """
        self.tell(run, progress={"steps": steps[-MOST_STEPS:], "count": len(steps)})

    @transaction.atomic
    def record(self, run: ProofRun, report: Mapping[str, Any], *, holds: bool | None = None) -> bool:
        """Keep what came of it. False: the lease was lost, nothing is stored."""
        return self._end(run, report=dict(report), holds=holds)

    @transaction.atomic
    def record_failure(self, run: ProofRun, failure: str) -> bool:
        """Keep why nothing came of it, for its author. False: the lease was lost."""
        return self._end(run, failure=failure, holds=False if run.kind == RunKind.PROOF else None)

    def fail(self, run: ProofRun, failure: Failure) -> bool:
        """Keep that it was not its author's fault."""
        return self.record_failure(run, _MESSAGES[failure])

    def _end(self, run: ProofRun, **columns: Any) -> bool:
        done = self.finish(run, finished=timezone.now(), **columns)
        if done and run.kind == RunKind.PROOF:
            settle(run.workspace_id)
        return done


def contents_of(run: ProofRun) -> Contents:
    """The files that `run` is about."""
    return Contents(run.workspace.slug, queries.read_revision(run.revision))


def settle(workspace_id: int) -> None:
    """Make a workspace whose proof is over what its files are now."""
    workspace = Workspace.objects.filter(pk=workspace_id, state=WorkspaceState.PROVING).first()
    revision = queries.present_revision(workspace) if workspace else None
    if workspace is None or revision is None:
        return
    mine = Workspace.objects.filter(
        pk=workspace_id, state=WorkspaceState.PROVING, revision=workspace.revision
    )
    mine.update(state=standing(workspace, revision.content_hash))


queue = ProofQueue()
