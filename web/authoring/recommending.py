"""What the latest proof found of tolerances, beside those that the form shows."""

from judge import proof as judge_proof
from judge.proof import Proof, ToleranceReport
from web.authoring.models import ProofRun, Workspace
from web.authoring.queries import latest_run


def proof_of(run: ProofRun | None) -> Proof | None:
    """The report of a run that is done, None where there is none that can be read."""
    if run is None or not run.report:
        return None
    try:
        return judge_proof.from_json(run.report)
    except (KeyError, TypeError, ValueError):
        return None  # of a version of ours that wrote another form


def recommended(workspace: Workspace) -> dict[str, ToleranceReport]:
    """What was measured of each output, by its name; nothing before the first proof."""
    proof = proof_of(latest_run(workspace))
    return {found.argument: found for found in proof.tolerances} if proof else {}
