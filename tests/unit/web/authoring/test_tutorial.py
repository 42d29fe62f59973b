"""Follows docs/authoring.md: uses the pages that it names and the texts that it quotes."""

import pytest

from judge.proof.prove import examine
from judge.proof.results import Proof, to_json
from judge.report import Report
from problems.vocabulary import Language, Mode, Verdict
from tests.unit.judge.environment import ScriptedBench
from tests.unit.web.authoring.tutorial import BREAKAGES, CORRECTION, SLUG
from web.authoring import queries
from web.authoring.faults import faults_of
from web.authoring.folders import load
from web.authoring.models import Workspace, WorkspaceState
from web.authoring.queue import queue as proofs
from web.catalog.models import Problem
from web.rejudges.models import Rejudge, RejudgeState
from web.rejudges.queue import queue as hidden_runs
from web.submissions import services as submissions

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(client, instructor) -> Workspace:
    """The workspace that the tutorial begins with."""
    client.force_login(instructor)
    sent = {"kind": "elementwise", "title": "Product of two vectors", "slug": SLUG}
    assert client.post("/author/new", sent).status_code == 302
    return Workspace.objects.get(slug=SLUG)


@pytest.fixture
def edit(client, desk):
    """Replaces a text on the tab of files."""

    def replace(file: str, old: str, new: str) -> None:
        desk.refresh_from_db()
        text = queries.read_text(desk, file)
        assert text.count(old), f"{file} has no {old!r}"
        sent = {"expected": desk.revision, "text": text.replace(old, new, 1)}
        assert client.post(f"/author/{SLUG}/files/{file}", sent).status_code == 302
        desk.refresh_from_db()

    return replace


@pytest.fixture
def prove(client, desk):
    """Presses the button, and does a worker's part: all that needs no program."""

    def run() -> Proof:
        client.post(f"/author/{SLUG}/proof/prove", {"gpu": "H200"})
        claim = proofs.claim("node-1")
        proof = examine(load(desk), ScriptedBench())
        proofs.record(claim, to_json(proof), holds=proof.holds)
        desk.refresh_from_db()
        return proof

    return run


def test_there_are_five_ways_to_break_it():
    assert len(BREAKAGES) == 5


@pytest.mark.parametrize("broken", BREAKAGES, ids=lambda broken: broken.old)
def test_what_is_broken_is_found_as_it_says(desk, edit, client, broken):
    edit(broken.file, broken.old, broken.new)
    faults = faults_of(desk)
    assert bool(faults) == broken.at_once
    if faults:
        found = [f"{fault.place}: {fault.text}" for fault in faults]
        page = client.get(f"/author/{SLUG}/signature").content.decode()
        assert "unknown size" in page
    else:
        proof = examine(load(desk), ScriptedBench())
        assert not proof.holds
        found = [f"{finding.place}: {finding.text}" for finding in proof.findings]
    for line in broken.found:
        assert line in found


def test_from_the_first_proof_to_a_second_version(desk, edit, prove, client, teammate, instructor):
    assert prove().holds
    assert desk.state == WorkspaceState.READY
    publish = f"/author/{SLUG}/publish"
    assert client.post(publish, {"expected": desk.revision, "how": "now"}).status_code == 302
    problem = Problem.objects.get(slug=SLUG)
    assert problem.published
    assert problem.package.number == 1

    handed_in = submissions.submit(
        teammate, problem, language=Language.CUDA, source="void solve() {}", mode=Mode.SUBMIT
    )
    submissions.record(submissions.claim("node-1"), Report(Verdict.WRONG_ANSWER, "off by a little"))

    edit("problem.toml", *CORRECTION)
    assert prove().holds
    assert "may differ" in client.get(publish).content.decode()
    answer = client.post(publish, {"expected": desk.revision, "how": "preview"})
    rejudge = Rejudge.objects.get()
    assert answer.url == f"/author/{SLUG}/rejudges/{rejudge.pk}"
    problem.refresh_from_db()
    assert problem.package.number == 1

    hidden_runs.record(hidden_runs.claim("node-1"), Report(Verdict.ACCEPTED, ""))
    assert "Make this version live?" in client.get(answer.url).content.decode()
    client.post(f"{answer.url}/apply")
    rejudge.refresh_from_db()
    problem.refresh_from_db()
    handed_in.refresh_from_db()
    assert (rejudge.state, problem.package.number) == (RejudgeState.APPLIED, 2)
    assert (handed_in.report.verdict, handed_in.package.number) == ("accepted", 2)
    assert desk.revision == Workspace.objects.get(slug=SLUG).revision
