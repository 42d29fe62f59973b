"""Tests that a program on a shared GPU is charged only for a failure that also happens alone."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from judge.errors import RunnerUnusable
from judge.evaluate import evaluate
from judge.gpu import referee as gpu_referee
from judge.gpu.device.process import RefereeProcess
from judge.gpu.runtime import GpuRuntime
from judge.gpu.target import GpuTarget
from judge.report import ProgressEvent, Report
from problems.schema import Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from sandbox.backend import IsolationUnavailable
from sandbox.gpu.lease import Share
from sandbox.gpu.mps import Mps
from tests.integration.node.conftest import open_node, solution

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-faults")]
ENDLESS = """
#include <cuda_runtime.h>
__global__ void hang(float* c) { volatile int go = 1; while (go) {} c[0] = 1; }
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  hang<<<1, 1>>>(c);
  cudaDeviceSynchronize();
}
"""


BLAMING = """
#include <unistd.h>
extern "C" void solve(const float* a, const float* b, float* c, int n) { _exit(70); }
"""


def judge(node: GpuTarget, problem: Problem, source: str, **options: object) -> Report:
    return evaluate(
        problem,
        source,
        language=Language.CUDA,
        mode=Mode.SUBMIT,
        target=node,
        **options,  # type: ignore[arg-type]
    )


@pytest.fixture
def referees(monkeypatch: pytest.MonkeyPatch) -> list[RefereeProcess]:
    """The referee processes that are started, in order."""
    started: list[RefereeProcess] = []
    start = GpuRuntime.start_referee

    def remember(self: GpuRuntime, cancelled: object) -> RefereeProcess:
        started.append(start(self, cancelled))  # type: ignore[arg-type]
        return started[-1]

    monkeypatch.setattr(GpuRuntime, "start_referee", remember)
    return started


def test_an_innocent_whose_run_was_disturbed_is_run_again_and_accepted(
    node: GpuTarget, vector_add: Problem, referees: list[RefereeProcess]
) -> None:
    steps: list[str] = []

    def disturb(progress: ProgressEvent) -> None:
        steps.append(progress.kind)
        if progress.kind == "case" and progress.index == 3 and len(referees) == 1:
            os.kill(referees[0].pid, signal.SIGKILL)  # as a fault of a neighbour would

    report = judge(node, vector_add, solution("plain.cu"), on_progress=disturb)
    assert report.verdict is Verdict.ACCEPTED
    assert report.ranked
    assert report.attempts == 2
    assert steps.count("disturbed") == 1


def test_the_second_run_is_alone(
    node: GpuTarget, vector_add: Problem, referees: list[RefereeProcess]
) -> None:
    (gpu_runtime,) = node.gpu_runtimes.values()
    shares: list[Share] = []

    def disturb(progress: ProgressEvent) -> None:
        if progress.kind == "case" and progress.index == 1:
            shares.extend(held.share for held in gpu_runtime.leases.holders(gpu_runtime.card.uuid))
            if len(referees) == 1:
                os.kill(referees[0].pid, signal.SIGKILL)

    judge(node, vector_add, solution("plain.cu"), on_progress=disturb)
    assert shares == [Share.CHECK, Share.RANK]


def test_who_fails_alone_too_is_charged(node: GpuTarget, vector_add: Problem) -> None:
    report = judge(node, vector_add, solution("no-guard.cu"))
    assert report.verdict is Verdict.ILLEGAL_ACCESS
    assert report.attempts == 2
    assert any(diagnostic.line for diagnostic in report.diagnostics)


def test_a_hang_is_cut_short_among_others_and_charged_alone(node: GpuTarget, vector_add: Problem) -> None:
    problem = replace(vector_add, limits=replace(vector_add.limits, case_s=3.0))
    report = judge(node, problem, ENDLESS)
    assert report.verdict is Verdict.TIME_LIMIT
    assert "3000 ms" in report.message
    assert report.attempts == 2


def test_a_failure_of_ours_while_alone_is_charged_to_nobody(
    node: GpuTarget, vector_add: Problem, referees: list[RefereeProcess]
) -> None:
    def disturb(progress: ProgressEvent) -> None:
        if progress.kind == "case" and progress.index == 1:
            os.kill(referees[-1].pid, signal.SIGKILL)

    with pytest.raises(RunnerUnusable):
        judge(node, vector_add, solution("plain.cu"), on_progress=disturb)


def test_blaming_the_node_is_believed_once(node: GpuTarget, vector_add: Problem) -> None:
    report = judge(node, vector_add, BLAMING)
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert report.attempts == 2


def test_blaming_a_node_that_is_ill_is_charged_to_nobody(
    node: GpuTarget, vector_add: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GpuRuntime, "check_up", lambda _: "its memory has defects")
    with pytest.raises(RunnerUnusable, match="its memory has defects"):
        judge(node, vector_add, BLAMING)


def test_nothing_runs_outside_mps(
    node: GpuTarget, vector_add: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NobodysMps:
        born = None

        def clients(self) -> tuple[int, ...]:
            return ()

        def ensure(self) -> None:
            pass

        def terminate(self, pid: int) -> bool:
            return False

        def healthy(self) -> bool:
            return True

    (gpu_runtime,) = node.gpu_runtimes.values()
    monkeypatch.setattr(gpu_runtime, "card", replace(gpu_runtime.card, mps=cast("Mps", NobodysMps())))
    monkeypatch.setattr(gpu_referee, "_START_S", 0.5)
    loaded: list[bool] = []
    monkeypatch.setattr(RefereeProcess, "load", lambda *_: loaded.append(True))
    with pytest.raises(RunnerUnusable, match="not a client of MPS"):
        judge(node, vector_add, solution("plain.cu"))
    assert not loaded


def test_a_storm_of_faults_from_two_workers_leaves_every_innocent_accepted(
    runtime: Path, node: GpuTarget, vector_add: Problem
) -> None:
    programs = [
        ("plain.cu", Verdict.ACCEPTED),
        ("no-guard.cu", Verdict.ILLEGAL_ACCESS),
        ("float4.cu", Verdict.ACCEPTED),
        ("prints-pass.cu", Verdict.RUNTIME_ERROR),
        ("grid-stride.cu", Verdict.ACCEPTED),
        ("changes-inputs.cu", Verdict.REJECTED),
    ]
    checks = tuple(case for case in vector_add.cases if case.group is not Group.TIMED)
    patient = replace(vector_add, cases=checks, limits=replace(vector_add.limits, case_s=30))
    other = open_node(runtime)
    try:
        with ThreadPoolExecutor(4) as threads:
            jobs = [
                (
                    name,
                    expected,
                    threads.submit(judge, (node, other)[number % 2], patient, solution(name)),
                )
                for number, (name, expected) in enumerate(programs)
            ]
            verdicts = [(name, expected, job.result().verdict) for name, expected, job in jobs]
    finally:
        other.close()
    assert [entry for entry in verdicts if entry[1] is not entry[2]] == []


def test_a_sandbox_that_is_lost_at_its_end_gives_its_slot_back(
    node: GpuTarget, vector_add: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(self: gpu_referee.GpuReferee, *, patience_s: float) -> None:
        raise IsolationUnavailable("the sandbox was lost")

    monkeypatch.setattr(gpu_referee.GpuReferee, "_end_process", lost)
    judge(node, vector_add, solution("off-by-one.cu"))
    monkeypatch.undo()
    report = judge(node, vector_add, solution("plain.cu"))  # ranking needs the whole card
    assert report.ranked
