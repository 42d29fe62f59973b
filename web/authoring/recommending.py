"""What the latest proof found of tolerances, beside those that the form shows."""

from judge.proof import results as judge_proof
from judge.proof.results import Proof, ToleranceReport
from web.authoring.models import ProofRun, RunKind, Workspace
from web.jobs.models import JobState


def proof_of(run: ProofRun | None) -> Proof | None:
    """The report of a run that is done, None where there is none that can be read."""
    if run is None or not run.report:
        return None
    try:
        return judge_proof.from_json(run.report)
    except (KeyError, TypeError, ValueError):
        return None  # of a version of ours that wrote another form


def latest_proof(workspace: Workspace) -> Proof | None:
    """The report of the latest proof that was made to its end."""
    done = workspace.runs.filter(kind=RunKind.PROOF, state=JobState.DONE)
    return proof_of(done.first())


def recommended(workspace: Workspace) -> dict[str, ToleranceReport]:
    """What was measured of each output, by its name; nothing before the first proof."""
    proof = latest_proof(workspace)
    return {found.argument: found for found in proof.tolerances} if proof else {}
