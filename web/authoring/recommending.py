"""The tolerances that the latest proof recommends, for display next to the current ones."""

from judge.proof import results as judge_proof
from judge.proof.results import Proof, ToleranceReport
from web.authoring.models import ProofRun, RunKind, Workspace
from web.jobs.models import JobState


def proof_of(run: ProofRun | None) -> Proof | None:
    """Return the report of a finished run, or None if there is none that can be read."""
    if run is None or not run.report:
        return None
    try:
        return judge_proof.from_json(run.report)
    except (KeyError, TypeError, ValueError):
        return None  # an older release of Warpcourt wrote another format


def latest_proof(workspace: Workspace) -> Proof | None:
    """Return the report of the latest finished proof, or None."""
    done = workspace.runs.filter(kind=RunKind.PROOF, state=JobState.DONE)
    return proof_of(done.first())


def recommended(workspace: Workspace) -> dict[str, ToleranceReport]:
    """Return the measurements for each output, by name. Before the first proof, the dict is empty."""
    proof = latest_proof(workspace)
    return {found.argument: found for found in proof.tolerances} if proof else {}
