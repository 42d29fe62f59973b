"""Requests proofs, trials and previews from workers, and cancels them.

RunRefused
+-- AlreadyRunning        a proof of this workspace is running
+-- TooManyRuns           the user has reached the maximum number of open jobs
+-- NothingToRun          there are no files, or the case or the solution does not exist
"""

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from judge.proof.preview import CaseWanted, PreviewRefused, wanted_case
from judge.proof.results import Proof, ProofFinding, to_json
from problems.faults import PackageInvalid
from problems.vocabulary import Severity
from web.accounts.models import User
from web.accounts.services import lock_user
from web.authoring import folders, queries
from web.authoring.models import ProofRun, Revision, RunKind, Workspace, WorkspaceState
from web.authoring.queue import PRIORITIES, queue, settle
from web.authoring.services.files import pin
from web.jobs.models import OPEN, JobState

MAX_RUNS_OF_PERSON = 4
KEPT_PREVIEWS = 10
KEPT_TRIALS = 20
KEPT_PROOFS = 50  # limit for proofs that do not hold; all proofs that hold are kept


class RunRefused(Exception):
    """Root of the reasons for refusing a run. The message is for the user who requested it."""


class AlreadyRunning(RunRefused):
    """Raised when a proof of this workspace is already running."""


class TooManyRuns(RunRefused):
    """Raised when the user has reached the maximum number of open jobs."""


class NothingToRun(RunRefused):
    """Raised when there are no files, the package is broken, or the case or solution does not exist."""


@transaction.atomic
def prove(workspace: Workspace, by: User, *, gpu: str = "") -> ProofRun:
    """Request a proof of the current files, with timed cases for the GPU model `gpu` (empty: the default).

    A package that does not load needs no worker. Its run is finished immediately, with a finding for each
    fault.

    Raises:
        RunRefused: see the tree above.
    """
    locked, revision = _present(workspace)
    if locked.runs.filter(kind=RunKind.PROOF, state__in=OPEN).exists():
        raise AlreadyRunning("A proof is already running. Wait for it or cancel it.")
    _require_room(by)
    _forget(locked.runs.filter(kind=RunKind.PROOF).exclude(holds=True), KEPT_PROOFS)
    pin(revision)
    run = _run(locked, revision, RunKind.PROOF, by, {"gpu": gpu})
    try:
        folders.load(locked)
    except PackageInvalid as error:
        run.state, run.finished = JobState.DONE, timezone.now()
        run.holds, run.report = False, to_json(_faulty(locked, error))
        run.save()
        return run
    queue.add(run)
    workspace.state = locked.state = WorkspaceState.PROVING
    locked.save(update_fields=["state"])
    return run


@transaction.atomic
def preview(workspace: Workspace, by: User, wanted: CaseWanted) -> ProofRun:
    """Request a preview of one case, generated from the current files.

    Raises:
        RunRefused: see the tree above.
    """
    locked, revision = _present(workspace)
    _require_room(by)
    try:
        wanted_case(folders.load(locked), wanted)
    except PackageInvalid as error:
        raise NothingToRun(str(error)) from error
    except PreviewRefused as error:
        raise NothingToRun(str(error)) from error
    _forget(locked.runs.filter(kind=RunKind.PREVIEW), KEPT_PREVIEWS)
    run = _run(locked, revision, RunKind.PREVIEW, by, wanted.to_json())
    queue.add(run)
    return run


@transaction.atomic
def try_solutions(workspace: Workspace, by: User, *, file: str = "", language: str = "") -> ProofRun:
    """Request a run of the solution `file`, or of all solutions in `language`, without a proof.

    Raises:
        RunRefused: see the tree above.
    """
    locked, revision = _present(workspace)
    _require_room(by)
    try:
        problem = folders.load(locked)
    except PackageInvalid as error:
        more = f" There are {len(error.faults)} errors in all." if len(error.faults) > 1 else ""
        raise NothingToRun(f"The package has an error: {error.faults[0]}.{more} Fix it first.") from error
    known = [(solution.path.name, solution.language.value) for solution in problem.solutions]
    files = [name for name, written_in in known if file == name or language == written_in]
    if not files:
        raise NothingToRun("Solution not found. Add it to the table of solutions first.")
    _forget(locked.runs.filter(kind=RunKind.TRIAL), KEPT_TRIALS)
    run = _run(locked, revision, RunKind.TRIAL, by, {"files": files})
    queue.add(run)
    return run


@transaction.atomic
def cancel(run: ProofRun) -> bool:
    """Cancel a run. A worker that has it stops soon. Return False if the run was already over."""
    if not queue.cancel(run, finished=timezone.now()):
        return False
    run.refresh_from_db()
    transaction.on_commit(partial(settle, run.workspace_id))
    return True


def _run(
    workspace: Workspace, revision: Revision, kind: RunKind, by: User, wanted: dict[str, Any]
) -> ProofRun:
    return ProofRun(
        workspace=workspace,
        revision=revision,
        content_hash=revision.content_hash,
        kind=kind,
        priority=PRIORITIES[kind],
        wanted=wanted,
        by=by,
    )


def _present(workspace: Workspace) -> tuple[Workspace, Revision]:
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    revision = queries.present_revision(locked)
    if revision is None or not revision.tree:
        raise NothingToRun("The problem has no files yet.")
    return locked, revision


def _forget(runs: QuerySet[ProofRun], kept: int) -> None:
    """Delete the oldest finished runs, to make room for one more."""
    over = runs.exclude(state__in=OPEN).order_by("-pk").values_list("pk", flat=True)
    ProofRun.objects.filter(pk__in=[*over[kept - 1 :]]).delete()


def _require_room(by: User) -> None:
    lock_user(by)
    if ProofRun.objects.filter(by=by, state__in=OPEN).count() >= MAX_RUNS_OF_PERSON:
        raise TooManyRuns(
            f"You have {MAX_RUNS_OF_PERSON} jobs waiting or running, the maximum. Wait for one to finish."
        )


def _faulty(workspace: Workspace, error: PackageInvalid) -> Proof:
    """Return a proof with one finding for each fault of a package that does not load."""
    return Proof(workspace.slug, "", tuple(_finding(workspace, fault) for fault in error.faults), ())


def _finding(workspace: Workspace, fault: str) -> ProofFinding:
    """Return a fault of the package as a finding.

    Faults read `problems/SLUG/FILE: KEY: what is wrong; what to do`.
    """
    place, _, text = fault.removeprefix(f"problems/{workspace.slug}/").partition(": ")
    key, colon, rest = text.partition(": ")
    if colon and " " not in key:
        place, text = f"{place}: {key}", rest
    wrong, _, fix = text.rpartition("; ")
    return ProofFinding(Severity.ERROR, place, wrong or text, fix if wrong else "correct the error")
