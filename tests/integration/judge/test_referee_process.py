"""Tests a referee process in host memory against the real, isolated CPU runners, because CI has no GPU."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from judge.cpu.target import CpuTarget
from judge.drawn import CaseData
from judge.gpu.device.process import RefereeProcess
from judge.report import CaseReport
from judge.runner.client import ReplyStatus, end
from judge.runner.inspector import Stopped
from problems.schema import Problem
from problems.vocabulary import Language, Verdict
from sandbox.backend import Process
from sandbox.spec import Termination
from sandbox.wire import ExitStatus, RunFlag
from tests.unit.judge.drawn_sets import doubling_set
from tests.unit.judge.packages import DOUBLING

pytestmark = pytest.mark.integration

KERNEL = """
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = STATEMENT;
}
extern "C" void solve(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
"""
TRITON = """
import torch
import triton
import triton.language as tl

@triton.jit
def twice(x, y, n, size: tl.constexpr):
    at = tl.program_id(0) * size + tl.arange(0, size)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)

def solve(x: torch.Tensor, y: torch.Tensor, n: int) -> None:
    twice[(triton.cdiv(n, 64),)](x, y, n, size=64)
"""


@pytest.fixture
def drawn() -> Iterator[CaseData]:
    with doubling_set() as made:
        yield made


@contextmanager
def loaded(
    target: CpuTarget, source: str, language: Language = Language.CUDA, problem: Problem = DOUBLING
) -> Iterator[tuple[RefereeProcess, Process]]:
    built = target.build(problem, source, language, lambda: False)
    assert not built.failure, built.log
    with RefereeProcess.start("host") as referee:
        process = target.start_runner(problem, language)
        try:
            referee.attach(problem, process.channel)
            assert referee.ready() is None
            assert referee.load(*built.contents) is None
            yield referee, process
        finally:
            process.close()


def check(target: CpuTarget, statement: str, drawn: CaseData) -> CaseReport:
    with loaded(target, KERNEL.replace("STATEMENT", statement)) as (referee, _):
        report = referee.check(drawn, RunFlag.NONE)
    assert isinstance(report, CaseReport)
    return report


def test_a_kernel_is_accepted(cpu_target: CpuTarget, drawn: CaseData) -> None:
    assert check(cpu_target, "2 * x[i]", drawn).verdict is Verdict.ACCEPTED


def test_a_wrong_kernel_is_not(cpu_target: CpuTarget, drawn: CaseData) -> None:
    report = check(cpu_target, "i == 36 ? 0 : 2 * x[i]", drawn)
    assert (report.verdict, report.mismatched, report.mismatches[0].index) == (Verdict.WRONG_ANSWER, 1, (36,))


def test_an_illegal_access_ends_the_runner(cpu_target: CpuTarget, drawn: CaseData) -> None:
    with loaded(cpu_target, KERNEL.replace("STATEMENT", "x[i + 4096]")) as (referee, process):
        stopped = referee.check(drawn, RunFlag.NONE)
        assert isinstance(stopped, Stopped)
        assert (stopped.answer, stopped.device_lost) == (ReplyStatus.DIED, False)
        completion = end(process)
        assert (completion.ending, completion.status) == (Termination.EXITED, ExitStatus.ILLEGAL_ACCESS)
        assert "out_of_bounds" in {diagnostic.kind for diagnostic in referee.diagnostics}


def test_a_triton_kernel_is_accepted(cpu_target: CpuTarget, drawn: CaseData) -> None:
    patient = replace(DOUBLING, limits=replace(DOUBLING.limits, case_s=20))  # its first call takes long
    with loaded(cpu_target, TRITON, Language.TRITON, patient) as (referee, process):
        report = referee.check(drawn, RunFlag.NONE)
        assert isinstance(report, CaseReport)
        assert report.verdict is Verdict.ACCEPTED
        referee.quit()
        assert end(process, patience_s=30).status == 0


def test_a_killed_runner_stops_the_run(cpu_target: CpuTarget, drawn: CaseData) -> None:
    with loaded(cpu_target, KERNEL.replace("STATEMENT", "2 * x[i]")) as (referee, process):
        process.kill()
        process.wait(10)
        stopped = referee.check(drawn, RunFlag.NONE)
        assert isinstance(stopped, Stopped)
        assert stopped.answer is ReplyStatus.DIED


def test_a_case_is_timed_on_contents_of_several_sets(cpu_target: CpuTarget) -> None:
    with (
        ExitStack() as stack,
        loaded(cpu_target, KERNEL.replace("STATEMENT", "2 * x[i]")) as (referee, _),
    ):
        sets = [stack.enter_context(doubling_set(seed=seed)) for seed in range(3)]
        report = referee.rank(sets)
        assert isinstance(report, CaseReport)
        # Nothing ranks on a CPU, and a busy one may well fail the clock's tests; an answer it must give.
        assert report.verdict in {Verdict.ACCEPTED, Verdict.REJECTED}
        if report.timing:
            assert 0 < report.timing.low_us <= report.timing.median_us <= report.timing.high_us
            assert report.checked == 37
        assert isinstance(referee.check(sets[0], RunFlag.NONE), CaseReport)  # the session is over


def test_wrong_results_in_timed_calls_are_found(cpu_target: CpuTarget) -> None:
    with ExitStack() as stack, loaded(cpu_target, KERNEL.replace("STATEMENT", "3 * x[i]")) as (referee, _):
        sets = [stack.enter_context(doubling_set(seed=seed)) for seed in range(3)]
        report = referee.rank(sets)
        assert isinstance(report, CaseReport)
        assert (report.verdict, report.timing) == (Verdict.WRONG_ANSWER, None)
        assert report.message.startswith("In a timed repetition")


def test_a_runner_that_dies_while_it_is_timed_stops_the_run(cpu_target: CpuTarget) -> None:
    source = KERNEL.replace("STATEMENT", "2 * x[i]").replace(
        "{ twice", "{ if (n == 37) __builtin_trap(); twice"
    )
    with ExitStack() as stack, loaded(cpu_target, source) as (referee, _):
        sets = [stack.enter_context(doubling_set(seed=seed)) for seed in range(3)]
        stopped = referee.rank(sets)
        assert isinstance(stopped, Stopped)
        assert stopped.answer is ReplyStatus.DIED


def test_a_runner_that_hangs_does_not_keep_the_referee(cpu_target: CpuTarget, drawn: CaseData) -> None:
    with loaded(cpu_target, KERNEL.replace("STATEMENT", "2 * x[i]")) as (referee, process):
        pid = referee.pid
        for runner in process.pids:
            os.kill(runner, signal.SIGSTOP)
        started = time.monotonic()
        stopped = referee.check(drawn, RunFlag.NONE)
        assert isinstance(stopped, Stopped)
        assert stopped.answer is ReplyStatus.TIMED_OUT
        assert time.monotonic() - started < DOUBLING.limits.case_s + 3
    assert not Path(f"/proc/{pid}").exists()
