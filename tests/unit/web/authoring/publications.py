"""Steps of publishing: prove a workspace, change its limits, judge submissions and hidden runs."""

from judge.proof.results import Proof, to_json
from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from web.authoring import queries
from web.authoring.queue import queue as proofs
from web.authoring.services import files, runs
from web.rejudges.queue import queue as hidden_runs
from web.submissions import services
from web.submissions.models import Submission


def prove(workspace) -> None:
    runs.prove(workspace, workspace.owner)
    proofs.record(proofs.claim("w"), to_json(Proof(workspace.slug, "v", (), ())), holds=True)
    workspace.refresh_from_db()


def judged(person, problem, verdict=Verdict.WRONG_ANSWER) -> Submission:
    submission = services.submit(
        person, problem, language=Language.CUDA, source="void solve() {}", mode=Mode.SUBMIT
    )
    version = problem.version
    services.record(services.claim("w"), Report(verdict, environment={"problem_version": version}))
    return submission


def looser(workspace) -> None:
    """Another limit, proved."""
    text = queries.read_file(workspace, "problem.toml").replace(b"[limits]", b"[limits]\nmemory_mib = 512")
    files.write(workspace, workspace.owner, workspace.revision, {"problem.toml": text})
    prove(workspace)


def judged_again(verdict=Verdict.ACCEPTED) -> None:
    """Judge the hidden runs that wait."""
    while claim := hidden_runs.claim("w"):
        hidden_runs.record(claim, Report(verdict))
