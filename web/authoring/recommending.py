"""The results of the latest proof and trials, for display next to what the author edits."""

from dataclasses import dataclass

from judge.proof import results as judge_proof
from judge.proof.results import ProgramOutcome, Proof, ToleranceReport
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


def latest_proof(workspace: Workspace, content_hash: str = "") -> Proof | None:
    """Return the report of the latest finished proof, or None. `content_hash` restricts it to those files."""
    done = workspace.runs.filter(kind=RunKind.PROOF, state=JobState.DONE)
    return proof_of((done.filter(content_hash=content_hash) if content_hash else done).first())


@dataclass(frozen=True, slots=True)
class LatestOutcome:
    """The newest result of a solution, and the proof or trial that has it."""

    outcome: ProgramOutcome
    run: ProofRun

    @property
    def url_name(self) -> str:
        """Return the name of the address of the run's page."""
        return "author-trial" if self.run.kind == RunKind.TRIAL else "author-proof-run"


def latest_outcomes(workspace: Workspace) -> dict[str, LatestOutcome]:
    """Return the newest result of each program, from the latest proof and the trials since, by its name."""
    done = workspace.runs.filter(state=JobState.DONE)
    last = done.filter(kind=RunKind.PROOF).first()
    trials = done.filter(kind=RunKind.TRIAL, pk__gt=last.pk if last else 0).order_by("pk")
    found: dict[str, LatestOutcome] = {}
    for run in [*([last] if last else []), *trials]:
        proof = proof_of(run)
        found |= {
            outcome.program: LatestOutcome(outcome, run) for outcome in (proof.outcomes if proof else ())
        }
    return found


def recommended(workspace: Workspace) -> dict[str, ToleranceReport]:
    """Return the measurements for each output, by name. Before the first proof, the dict is empty."""
    proof = latest_proof(workspace)
    return {found.argument: found for found in proof.tolerances} if proof else {}
