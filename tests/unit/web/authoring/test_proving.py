"""Tests a worker that proves, with a judge that runs no programs."""

import time
from dataclasses import replace
from threading import Thread

import pytest
from django.db import connections

from judge.proof.preview import CaseWanted
from web.authoring import queries
from web.authoring.models import ProofRun, Workspace, WorkspaceState
from web.authoring.services import files, runs
from web.jobs.models import JobState
from web.submissions.models import Job
from worker import heartbeat
from worker.judge_handle import JudgeHandle
from worker.judging import judge_next
from worker.shutdown import GracefulShutdown

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quick_heartbeat(monkeypatch):
    monkeypatch.setattr(heartbeat, "INTERVAL_S", 0.05)


@pytest.fixture
def gate(settings, tmp_path):
    """A file that keeps a proof with `hold=proving` at its second program."""
    settings.WARPCOURT = replace(settings.WARPCOURT, runtime_dir=tmp_path)
    path = tmp_path / "hold-proving"
    path.touch()
    return path


def say(workspace, words: str) -> None:
    reference = queries.read_file(workspace, "reference.py") + f"\n# {words}\n".encode()
    files.write(workspace, workspace.owner, workspace.revision, {"reference.py": reference})


def in_background(stop: GracefulShutdown | None = None) -> Thread:
    def run() -> None:
        judge_next(JudgeHandle(), stop or GracefulShutdown())
        connections.close_all()

    thread = Thread(target=run)
    thread.start()
    return thread


def wait_until(condition) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def at_the_gate() -> bool:
    return ProofRun.objects.get().progress.get("count") == 3


def test_a_proof_is_run_step_by_step(workspace, instructor):
    runs.prove(workspace, instructor)
    judge_next(JudgeHandle())
    run = ProofRun.objects.get()
    assert (run.state, run.holds) == (JobState.DONE, True)
    assert run.progress["steps"][-1]["text"].endswith("as expected")
    assert run.report["outcomes"]
    assert Workspace.objects.get().state == WorkspaceState.READY


def test_a_finding_keeps_it_from_being_ready(workspace, instructor):
    say(workspace, "proof=fails")
    runs.prove(workspace, instructor)
    judge_next(JudgeHandle())
    assert ProofRun.objects.get().holds is False
    assert Workspace.objects.get().state == WorkspaceState.DRAFT


def test_a_reference_that_breaks_is_its_authors(workspace, instructor):
    say(workspace, "proof=breaks")
    runs.prove(workspace, instructor)
    judge_next(JudgeHandle())
    run = ProofRun.objects.get()
    assert (run.state, run.holds, run.attempt) == (JobState.DONE, False, 1)
    assert "line 1" in run.failure


def test_a_preview_is_drawn(workspace, instructor):
    runs.preview(workspace, instructor, CaseWanted("example", seed=2**62))
    judge_next(JudgeHandle())
    assert ProofRun.objects.get().report["seed"] == str(2**62)


def test_solutions_are_tried_without_a_proof(workspace, instructor):
    runs.try_solutions(workspace, instructor, language="cuda")
    judge_next(JudgeHandle())
    run = ProofRun.objects.get()
    assert (run.state, run.holds) == (JobState.DONE, True)
    assert {outcome["program"] for outcome in run.report["outcomes"]} == {
        f"solutions/{file}" for file in run.wanted["files"]
    }
    assert run.report["outcomes"][0]["log"].startswith("Compiled")
    assert Workspace.objects.get().state == WorkspaceState.DRAFT


def test_submissions_come_first_and_in_between(workspace, instructor, gate, owner, handed_in):
    say(workspace, "hold=proving")
    runs.prove(workspace, instructor)
    first = handed_in(owner)
    judge_next(JudgeHandle())
    assert Job.objects.get(submission=first).state == JobState.DONE
    worker = in_background()
    wait_until(at_the_gate)
    second = handed_in(owner)
    gate.unlink()
    worker.join(timeout=30)
    assert Job.objects.get(submission=second).state == JobState.DONE
    assert ProofRun.objects.get().holds
    assert second.report.finished < ProofRun.objects.get().finished


def test_cancelling_ends_it(workspace, instructor, gate):
    say(workspace, "hold=proving")
    run = runs.prove(workspace, instructor)
    worker = in_background()
    wait_until(at_the_gate)
    runs.cancel(run)
    worker.join(timeout=30)
    assert not worker.is_alive()
    assert ProofRun.objects.get().state == JobState.CANCELLED
    assert Workspace.objects.get().state == WorkspaceState.DRAFT


def test_a_worker_that_stops_hands_it_back_at_once(workspace, instructor, gate):
    say(workspace, "hold=proving")
    runs.prove(workspace, instructor)
    stop = GracefulShutdown()
    worker = in_background(stop)
    wait_until(at_the_gate)
    stop.ask(grace_s=60)
    gate.unlink()
    worker.join(timeout=30)
    run = ProofRun.objects.get()
    assert (run.state, run.tries) == (JobState.QUEUED, 0)


def test_our_failure_is_tried_again_and_then_told(workspace, instructor, monkeypatch):
    monkeypatch.setattr("worker.scripted_proving.prove", _fail)
    runs.prove(workspace, instructor)
    bench = JudgeHandle()
    for _ in range(3):
        assert ProofRun.objects.get().state == JobState.QUEUED
        judge_next(bench)
    assert "several times" in ProofRun.objects.get().failure


def _fail(*_: object, **__: object) -> None:
    raise RuntimeError("disk on fire")
