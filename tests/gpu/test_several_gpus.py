"""Tests programs for several real GPUs. Skipped on hosts without two GPUs that can access each other.

They use the first such pair, from the GPU with the index TEST_GPU on.

.venv/bin/python -m pytest -q tests/gpu/test_several_gpus.py
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest

from benchmarks.solutions import solutions as shipped
from judge.evaluate import evaluate
from judge.gpu.target import GpuTarget
from judge.report import Report
from problems.loader import load_problem, problems_root
from problems.schema import Problem, Solution
from problems.vocabulary import Language, Mode, Verdict
from sandbox.gpu.nvml import GpuInfo, NvmlUnavailable, open_nvml
from tests.gpu.conftest import opened
from tests.gpu.test_solutions import name_of
from tests.integration.functional import test_devices as virtual

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(600)]
PEER_SWAP = load_problem(problems_root() / "peer-swap")
SOLUTIONS = [(problem, solution) for problem, solution in shipped(None, wrong=True) if problem.gpus == 2]


@pytest.fixture(scope="module")
def pair() -> tuple[GpuInfo, GpuInfo]:
    """Two GPUs of one model that can access each other's memory."""
    try:
        nvml = open_nvml()
        for one, other in combinations(nvml.gpus()[int(os.environ.get("TEST_GPU", "0")) :], 2):
            if one.model == other.model and nvml.are_peers(one.uuid, other.uuid):
                return one, other
    except NvmlUnavailable as error:
        pytest.skip(f"no NVIDIA GPU: {error}")
    pytest.skip("this host has no two GPUs of one model that can access each other's memory")


@pytest.fixture(scope="module")
def two(pair: tuple[GpuInfo, GpuInfo]) -> Iterator[GpuTarget]:
    """The judge on both."""
    with opened(*pair) as target:
        yield target


def judged(target: GpuTarget, source: str, problem: Problem = PEER_SWAP) -> Report:
    return evaluate(problem, source, language=Language.CUDA, mode=Mode.SUBMIT, target=target)


@pytest.mark.parametrize(("problem", "solution"), SOLUTIONS, ids=name_of)
def test_solution(two: GpuTarget, problem: Problem, solution: Solution) -> None:
    report = judged(two, solution.path.read_text(), problem)
    told = [f"{report.verdict}: {report.message}", report.log, *(d.message for d in report.diagnostics)]
    assert report.verdict in solution.allowed(on_gpu=True), "\n".join(told)
    assert not report.ranked


PAST_THE_END = """\
#include <cuda_runtime.h>
__global__ void past(float* x, int n) { x[n + threadIdx.x] = 1; }
extern "C" void solve(float* a, float* b, int n) {
    cudaSetDevice(1);
    past<<<1, 32>>>(b, n);
}
"""


def test_a_write_past_the_end_on_the_second_gpu_reaches_the_guard_band(two: GpuTarget) -> None:
    report = judged(two, PAST_THE_END)
    assert report.verdict is Verdict.ILLEGAL_ACCESS
    assert "b" in report.message


def test_a_fault_on_the_second_gpu_ends_the_run_and_no_other(two: GpuTarget) -> None:
    fault = PAST_THE_END.replace("x[n + threadIdx.x] = 1", "reinterpret_cast<float*>(8)[n] = x[0]")
    assert judged(two, fault).verdict is Verdict.ILLEGAL_ACCESS
    right = next(one for one in PEER_SWAP.solutions if one.verdict is Verdict.ACCEPTED)
    assert judged(two, right.path.read_text()).verdict is Verdict.ACCEPTED


def test_calls_answer_as_in_functional_mode(two: GpuTarget) -> None:
    """CUDA behaves as functional mode assumes."""
    number = virtual.PROGRAMS.index("says")
    body = virtual.SOURCE.replace("void solve(", "static void chosen(")
    source = f'{body}\nextern "C" void solve(float* a, float* b, int n) {{ chosen(a, b, n, {number}); }}\n'
    report = evaluate(
        replace(PEER_SWAP, requirements=()), source, language=Language.CUDA, mode=Mode.RUN, target=two
    )
    lines = report.output.splitlines()
    assert lines[: len(virtual.SAID)] == list(virtual.SAID)
