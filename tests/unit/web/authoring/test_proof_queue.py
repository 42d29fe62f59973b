"""Tests the queue of proofs and previews: request, claim, record, cancel."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judge.proof.preview import CaseWanted
from judge.proof.results import Proof, error, to_json
from web.authoring import queries
from web.authoring.models import ProofRun, Role, RunKind, Workspace, WorkspaceState
from web.authoring.queue import contents_of, settle
from web.authoring.queue import queue as proofs
from web.authoring.services import files, runs
from web.jobs.models import JobState
from web.submissions.services import Hold, LeaseLost

pytestmark = pytest.mark.django_db
HOLDS = to_json(Proof("my-sum", "v", (), ()))


def state_of(workspace) -> str:
    return Workspace.objects.get(pk=workspace.pk).state


def test_a_proof_that_holds_makes_the_workspace_ready(workspace, instructor):
    run = runs.prove(workspace, instructor)
    assert state_of(workspace) == WorkspaceState.PROVING
    claim = proofs.claim("w")
    assert claim == run
    assert contents_of(claim).files == queries.read(workspace)
    proofs.show_steps(claim, [{"text": "one"}])
    assert proofs.record(claim, HOLDS, holds=True)
    run.refresh_from_db()
    assert (run.state, run.holds, run.lease_until) == (JobState.DONE, True, None)
    assert run.progress == {"steps": [{"text": "one"}], "count": 1}
    assert state_of(workspace) == WorkspaceState.READY
    assert queries.holding_proof(workspace, run.content_hash) == run


def test_a_proof_that_fails_makes_it_a_draft(workspace, instructor):
    runs.prove(workspace, instructor)
    broken = Proof("my-sum", "v", (error("here", "is wrong", "mend it"),), ())
    proofs.record(proofs.claim("w"), to_json(broken), holds=False)
    assert state_of(workspace) == WorkspaceState.DRAFT


def test_what_is_written_meanwhile_is_not_proved(workspace, instructor):
    run = runs.prove(workspace, instructor)
    files.write(workspace, instructor, 1, {"statement.md": b"new"})
    claim = proofs.claim("w")
    assert contents_of(claim).files["statement.md"] != b"new"
    proofs.record(claim, HOLDS, holds=True)
    assert state_of(workspace) == WorkspaceState.DRAFT
    files.restore(workspace, instructor, 1, expected_revision=2)
    assert state_of(workspace) == WorkspaceState.READY
    assert queries.present_revision(workspace).content_hash == run.content_hash


def test_a_package_that_does_not_load_needs_no_worker(workspace, instructor):
    files.write(workspace, instructor, 1, {"problem.toml": b'title = "x"\n'})
    run = runs.prove(workspace, instructor)
    assert (run.state, run.holds) == (JobState.DONE, False)
    places = {finding["place"] for finding in run.report["findings"]}
    assert "problem.toml: summary" in places
    assert all(finding["text"] and finding["fix"] for finding in run.report["findings"])
    assert state_of(workspace) == WorkspaceState.DRAFT
    assert proofs.claim("w") is None


def test_one_proof_at_a_time(workspace, instructor):
    runs.prove(workspace, instructor)
    with pytest.raises(runs.AlreadyRunning):
        runs.prove(workspace, instructor)


def test_nobody_has_too_much_unfinished(workspace, instructor):
    for _ in range(runs.MAX_RUNS_OF_PERSON):
        runs.preview(workspace, instructor, CaseWanted("example"))
    with pytest.raises(runs.TooManyRuns):
        runs.prove(workspace, instructor)


def test_previews_come_before_proofs(workspace, instructor, member):
    runs.prove(workspace, instructor)
    runs.preview(workspace, member(Role.EDITOR), CaseWanted("example"))
    assert [proofs.claim("w").kind for _ in range(2)] == [RunKind.PREVIEW, RunKind.PROOF]
    assert proofs.claim("w") is None


def test_a_case_that_is_not_there_is_refused_at_once(workspace, instructor):
    with pytest.raises(runs.NothingToRun, match="Choose one of"):
        runs.preview(workspace, instructor, CaseWanted("none"))
    with pytest.raises(runs.NothingToRun, match="sizes"):
        runs.preview(workspace, instructor, CaseWanted(sizes={"rows": 1}))
    files.write(workspace, instructor, 1, {"reference.py": None})
    with pytest.raises(runs.NothingToRun, match="missing"):
        runs.preview(workspace, instructor, CaseWanted("example"))


def test_old_previews_go(workspace, instructor, monkeypatch):
    monkeypatch.setattr(runs, "KEPT_PREVIEWS", 2)
    for _ in range(4):
        runs.preview(workspace, instructor, CaseWanted("example"))
        proofs.record(proofs.claim("w"), {"arrays": []})
    assert ProofRun.objects.count() == 2


def test_cancelling_ends_a_waiting_and_a_leased_one(workspace, instructor):
    assert runs.cancel(runs.prove(workspace, instructor))
    assert state_of(workspace) == WorkspaceState.PROVING  # until the transaction is through
    settle(workspace.pk)
    assert state_of(workspace) == WorkspaceState.DRAFT
    run = runs.prove(workspace, instructor)
    claim = proofs.claim("w")
    assert runs.cancel(run)
    assert proofs.extend_lease(claim) is Hold.CANCELLED
    assert not proofs.record(claim, HOLDS, holds=True)
    assert not runs.cancel(run)


def test_only_the_current_attempt_writes(workspace, instructor):
    runs.prove(workspace, instructor)
    late = proofs.claim("w")
    ProofRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    current = proofs.claim("other")
    assert current.attempt == 2
    assert proofs.extend_lease(late) is Hold.LOST
    with pytest.raises(LeaseLost):
        proofs.show_steps(late, [])
    assert not proofs.record(late, HOLDS, holds=True)
    assert not proofs.return_to_queue(late, failed=True)
    assert proofs.extend_lease(current) is Hold.HELD
    assert proofs.record(current, HOLDS, holds=True)


def test_a_run_on_which_a_worker_hung_ends_at_once(workspace, instructor):
    run = runs.prove(workspace, instructor)
    claim = proofs.claim("hangs")
    assert not proofs.abandon(run.pk, claim.attempt - 1)
    assert proofs.abandon(run.pk, claim.attempt)
    assert "could not read these files in time" in ProofRun.objects.get().failure
    assert proofs.claim("another") is None
    assert not proofs.record(claim, HOLDS, holds=True)


def test_a_worker_that_is_gone_costs_a_try(workspace, instructor, wakeups):
    runs.prove(workspace, instructor)
    for _ in range(3):
        proofs.claim("w")
        proofs.sweep(now=timezone.now() + timedelta(hours=1))
    run = ProofRun.objects.get()
    assert (run.state, run.holds) == (JobState.DONE, False)
    assert "several times" in run.failure
    assert state_of(workspace) == WorkspaceState.DRAFT
    assert wakeups


def test_a_run_that_is_returned_waits_again(workspace, instructor):
    runs.prove(workspace, instructor)
    proofs.return_to_queue(proofs.claim("w"), failed=False)
    run = ProofRun.objects.get()
    assert (run.state, run.tries, run.attempt) == (JobState.QUEUED, 0, 1)
