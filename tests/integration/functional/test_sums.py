"""The sums of a counting run agree with models of the kernels."""

import json
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from judge.evidence.diagnostics import parse_diagnostics
from judge.evidence.sums import Sum, Sums, parse_sums
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner
from tests.integration.functional.marked_lines import marked_lines
from tests.integration.functional.test_counters import BLOCK, COUNTED, SOURCE, WARP, Kernel, N, X

pytestmark = pytest.mark.integration
WARPS = N // WARP
BLOCKS = N // BLOCK
NONE = Sum()


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def sums(runner: Runner, kind: Kernel, flags: RunFlag = COUNTED | RunFlag.SUMS) -> tuple[Sums, ...]:
    outcome = runner.call(X, np.zeros(N, np.float32), N, kind, flags=flags)
    assert outcome.status is None
    return parse_sums(parse_diagnostics("\n".join(map(json.dumps, outcome.diagnostics)).encode()))


def line_of(comment: str) -> int:
    return marked_lines(SOURCE, comment)[0]


def test_a_run_that_only_counts_reports_no_sums(runner: Runner) -> None:
    assert sums(runner, Kernel.ALTERNATING, COUNTED) == ()


def test_sectors_and_divergent_branches(runner: Runner) -> None:
    (found,) = sums(runner, Kernel.ALTERNATING)
    assert (found.launches, found.blocks, found.barriers, found.complete) == (1, BLOCKS, 0, True)
    for access in (found.global_load, found.global_store):
        assert (access.requests, access.units, access.fewest) == (WARPS, 4 * WARPS, 4 * WARPS)
    assert found.branch == Sum(WARPS, WARPS, 0, line_of("alternating"), line_of("alternating"))
    assert (found.shared, found.atomic) == (NONE, NONE)


def test_a_branch_that_no_warp_splits_at(runner: Runner) -> None:
    (found,) = sums(runner, Kernel.BY_WARP)
    assert (found.branch.requests, found.branch.units) == (WARPS, 0)


def test_barriers_and_shared_memory(runner: Runner) -> None:
    (found,) = sums(runner, Kernel.MODULO_TREE)
    assert found.barriers == BLOCKS * (1 + 8)  # one, and one for each step of the tree
    assert found.shared.requests > 0
    assert found.shared.units == found.shared.fewest == found.shared.requests


def test_atomics(runner: Runner) -> None:
    (found,) = sums(runner, Kernel.SUM_OF_ALL)
    assert found.atomic == Sum(WARPS, N, WARPS, line_of("one address"), line_of("one address"))


def test_the_line_that_requests_most_need_not_be_the_line_that_wastes_most() -> None:
    source = """
__global__ void spread(const float* x, float* y) {
    __shared__ float far[32 * 32], near[32];
    near[threadIdx.x] = x[threadIdx.x];
    far[32 * threadIdx.x] = near[threadIdx.x];
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += ((volatile float*)near)[threadIdx.x];
    y[threadIdx.x] = sum + far[32 * threadIdx.x];
}
extern "C" void solve(const float* x, float* y) { spread<<<1, 32>>>(x, y); }
"""
    with closing(Runner(source)) as runner:
        x = np.ones(32, np.float32)
        outcome = runner.call(x, np.zeros(32, np.float32), flags=COUNTED | RunFlag.SUMS)
    (found,) = parse_sums(parse_diagnostics("\n".join(map(json.dumps, outcome.diagnostics)).encode()))
    assert found.shared.line in (5, 8)
    assert found.shared.busiest_line == 7


def test_more_than_is_counted_is_not_complete() -> None:
    source = """
__global__ void again(const float* x, float* y, int n) {
    for (int k = 0; k < 5000; ++k) y[threadIdx.x] = x[threadIdx.x] + ((volatile float*)y)[threadIdx.x];
}
extern "C" void solve(const float* x, float* y, int n) { again<<<1, 1024>>>(x, y, n); }
"""
    with closing(Runner(source)) as runner:
        x = np.ones(1024, np.float32)
        outcome = runner.call(x, np.zeros(1024, np.float32), 1024, flags=COUNTED | RunFlag.SUMS)
    (found,) = parse_sums(parse_diagnostics("\n".join(map(json.dumps, outcome.diagnostics)).encode()))
    assert not found.complete
