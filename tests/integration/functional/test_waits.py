"""If all threads of a launch wait for each other, the message says so, and for what, with the lines."""

import numpy as np
import pytest

from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import run
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
ORDERS = [RunFlag.NONE, RunFlag.DETERMINISTIC | RunFlag.RACES]
WARP = """
__device__ int lock;
__global__ void add(int* out) {
    while (atomicCAS(&lock, 0, 1)) {}  // polls
    *out += 1;
    __syncwarp();  // meets
    atomicExch(&lock, 0);
}
extern "C" void solve(int* out) { add<<<1, 32>>>(out); }
"""
GRID = """
#include <cooperative_groups.h>
__global__ void add(int* out) {
    if (blockIdx.x == 1) return;
    cooperative_groups::this_grid().sync();  // meets
    *out = 1;
}
extern "C" void solve(int* out) {
    void* arguments[] = {&out};
    cudaLaunchCooperativeKernel((void*)add, dim3(4), dim3(64), arguments, 0, 0);
}
"""
BY_HAND = """
__device__ unsigned arrived;
__global__ void add(int* out) {
    if (blockIdx.x == 1) return;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&arrived, 1);
        while (*(volatile unsigned*)&arrived < gridDim.x) {}  // polls
    }
    __syncthreads();  // meets
    *out = 1;
}
extern "C" void solve(int* out) { add<<<4, 64>>>(out); }
"""
COUNTS_TOO_MANY = BY_HAND.replace("if (blockIdx.x == 1) return;", "").replace("gridDim.x)", "gridDim.x + 1)")
DIVERGENT = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void add(int* out) {
    if (threadIdx.x < 32) {
        SYNC  // upper
    } else {
        SYNC  // lower
    }
    *out = 1;
}
extern "C" void solve(int* out) {
    void* arguments[] = {&out};
    cudaLaunchCooperativeKernel((void*)add, dim3(1), dim3(64), arguments, 0, 0);
}
"""


def line(source: str, mark: str) -> int:
    return marked_lines(source, mark)[0]


def message(source: str, flags: RunFlag) -> str:
    outcome = run(source, np.zeros(1, np.int32), flags=flags, time_limit_ms=2000)
    assert outcome.status == ExitStatus.TIME_LIMIT
    return str(outcome.finding("time_limit")["message"])


@pytest.mark.parametrize("flags", ORDERS)
def test_lanes_that_poll_a_lock_whose_owner_waits_for_them(flags: RunFlag) -> None:
    text = message(WARP, flags)
    assert "endless loop" not in text
    assert "All threads that have not ended wait" in text
    assert f"polling, line {line(WARP, 'polls')}" in text
    assert "1 thread (first (0,0,0) of block (0,0,0)) waiting at __syncwarp() for lanes 0xffffffff" in text
    assert f"0xffffffff, line {line(WARP, 'meets')}" in text
    assert "waits for lanes of its warp that poll" in text


@pytest.mark.parametrize("flags", ORDERS)
def test_a_grid_barrier_that_a_block_does_not_reach(flags: RunFlag) -> None:
    text = message(GRID, flags)
    meets = line(GRID, "meets")
    assert "endless loop" not in text
    assert f"polling, line {meets}" in text
    assert f"waiting at grid.sync(), line {meets}" in text
    assert "1 block of 4 has ended, so it does not arrive" in text


@pytest.mark.parametrize("flags", ORDERS)
@pytest.mark.parametrize("source", [BY_HAND, COUNTS_TOO_MANY], ids=["ended", "counts too many"])
def test_a_barrier_by_hand_at_which_too_few_blocks_arrive(source: str, flags: RunFlag) -> None:
    text = message(source, flags)
    assert "endless loop" not in text
    assert f"polling, line {line(source, 'polls')}" in text
    assert f"waiting at __syncthreads(), line {line(source, 'meets')}" in text
    ended = "1 block of 4 has ended" in text
    assert ended == (source == BY_HAND)
    assert ended or "as many threads or blocks must arrive at a counter as others wait for" in text


@pytest.mark.parametrize("flags", ORDERS)
def test_a_thread_that_works_while_others_poll_is_said_to_run(flags: RunFlag) -> None:
    source = """
__device__ int ready;
__global__ void add(int* out) {
    if (threadIdx.x) while (atomicAdd(&ready, 0) == 0) {}
    else for (volatile int i = 0;; ) (void)i;
}
extern "C" void solve(int* out) { add<<<1, 64>>>(out); }
"""
    assert "Look for an endless loop" in message(source, flags)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("__syncthreads();", "__syncthreads()"),
        ("cg::this_thread_block().sync();", "block.sync()"),
        ("cg::sync(cg::this_thread_block());", "block.sync()"),
        ("cg::this_grid().sync();", "grid.sync()"),
    ],
)
def test_a_finding_names_the_barrier_as_the_program_does(call: str, name: str) -> None:
    source = DIVERGENT.replace("SYNC", call)
    outcome = run(source, np.zeros(1, np.int32), flags=ORDERS[1], time_limit_ms=2000)
    text = str(outcome.finding("divergent_barrier")["message"])
    assert text.startswith(f"divergent {name}: thread (0,0,0) waits at line {line(source, 'upper')} and")
    whole = "grid" if name == "grid.sync()" else "block"
    assert f"Every thread of a {whole} must reach the same {name}" in text
    early = source.replace("} else {", "} else { return;")
    outcome = run(early, np.zeros(1, np.int32), flags=ORDERS[1], time_limit_ms=2000)
    text = str(outcome.finding("exited_threads")["message"])
    assert f"without reaching the {name}, in kernel add" in text
