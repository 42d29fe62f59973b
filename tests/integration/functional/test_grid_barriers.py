"""Tests of blocks that wait for each other, in ordinary and cooperative launches."""

import resource
from contextlib import closing

import numpy as np
import pytest

from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import Outcome, Runner, run

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("grid-barriers")]

ORDERS = [
    RunFlag.NONE,
    RunFlag.DETERMINISTIC | RunFlag.RACES,
    RunFlag.DETERMINISTIC | RunFlag.RACES | RunFlag.REVERSED,
    RunFlag.DETERMINISTIC | RunFlag.RACES | RunFlag.INTERLEAVED,
]
BY_HAND = """
__device__ unsigned arrived;
__device__ void meet_all() {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < gridDim.x) {}  // waits here
        __threadfence();
    }
    __syncthreads();
}
__global__ void sums(const int* x, int* partial, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&partial[blockIdx.x], x[i]);
    meet_all();
    int sum = 0;
    for (int block = 0; block < gridDim.x; ++block) sum += partial[block];
    out[i] = sum;
}
extern "C" void solve(const int* x, int* out, int* partial, int blocks, int threads) {
    void* address;
    cudaGetSymbolAddress(&address, arrived);
    cudaMemset(address, 0, sizeof(unsigned));
    cudaMemset(partial, 0, blocks * sizeof(int));
    sums<<<blocks, threads>>>(x, partial, out);
}
"""
COOPERATIVE = """
#include <cooperative_groups.h>
__global__ void alone(const int* x, int* out) {
    __shared__ int values[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = x[i];
    __syncthreads();
    out[i] = values[blockDim.x - 1 - threadIdx.x];
}
__global__ void sums(const int* x, int* partial, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&partial[blockIdx.x], x[i]);
    cooperative_groups::this_grid().sync();
    int sum = 0;
    for (int block = 0; block < gridDim.x; ++block) sum += partial[block];
    out[i] = sum;
}
extern "C" void solve(const int* x, int* out, int* partial, int blocks, int threads) {
    cudaMemset(partial, 0, blocks * sizeof(int));
    alone<<<blocks, threads>>>(x, out);
    void* arguments[] = {&x, &partial, &out};
    cudaLaunchCooperativeKernel((void*)sums, dim3(blocks), dim3(threads), arguments, 0, 0);
}
"""


def arguments(blocks: int, threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int]:
    x = np.ones(blocks * threads, np.int32)
    return x, np.zeros_like(x), np.zeros(blocks, np.int32), blocks, threads


def assert_right(outcome: Outcome) -> None:
    assert outcome.status is None, outcome.diagnostics
    assert (outcome.arrays[1] == len(outcome.arrays[1])).all()


@pytest.mark.parametrize("flags", ORDERS)
@pytest.mark.parametrize(("blocks", "threads"), [(33, 64), (64, 256), (256, 32)])
def test_as_many_blocks_wait_for_each_other_as_are_resident_on_the_device(
    blocks: int, threads: int, flags: RunFlag
) -> None:
    assert_right(run(BY_HAND, *arguments(blocks, threads), flags=flags))


@pytest.mark.parametrize("processors", [2, 64])
def test_they_also_wait_for_each_other_on_several_processors(processors: int) -> None:
    with closing(Runner(BY_HAND, processors=processors)) as runner:
        for blocks, threads in ((64, 256), (256, 32)):
            assert_right(runner.call(*arguments(blocks, threads)))


@pytest.mark.parametrize("flags", ORDERS[:2])
def test_more_blocks_are_said_to_wait_for_blocks_that_cannot_start(flags: RunFlag) -> None:
    outcome = run(BY_HAND, *arguments(300, 256), flags=flags, time_limit_ms=3000)
    assert outcome.status == ExitStatus.TIME_LIMIT
    finding = outcome.finding("time_limit")
    assert "wait for blocks that start only when one of them ends" in finding["message"]
    assert "runs at most 64 blocks of this size at the same time" in finding["message"]
    assert "8 multiprocessors. A GPU has more (an H200 has 132)" in finding["message"]
    waits = next(n for n, line in enumerate(BY_HAND.splitlines(), 1) if "waits here" in line)
    assert finding["line"] == waits


def test_a_cooperative_launch_with_more_blocks_is_refused_with_the_number_of_a_gpu() -> None:
    outcome = run(COOPERATIVE, *arguments(132, 1024))
    assert outcome.status is not None
    message = str(outcome.diagnostics)
    assert "runs at most 16 blocks of this size at the same time" in message
    assert "8 multiprocessors. A GPU has more (an H200 has 132)" in message


def test_a_grid_barrier_in_an_ordinary_launch_names_the_cooperative_launch() -> None:
    ordinary = COOPERATIVE.replace(
        "cudaLaunchCooperativeKernel((void*)sums, dim3(blocks), dim3(threads), arguments, 0, 0)",
        "sums<<<blocks, threads>>>(x, partial, out)",
    )
    outcome = run(ordinary, *arguments(2, 32))
    finding = outcome.finding("trap")
    assert outcome.status == ExitStatus.RUNTIME_ERROR
    assert finding["message"].startswith("grid.sync() in a launch that is not cooperative, in kernel sums")
    assert "Launch the kernel with cudaLaunchCooperativeKernel." in finding["message"]
    syncs = next(n for n, line in enumerate(ordinary.splitlines(), 1) if "sync();" in line)
    assert finding["line"] == syncs


def test_cooperative_launches_have_stacks_on_many_processors() -> None:
    # The stacks of earlier launches belong to other workers. Without their release, a later launch fails.
    with closing(Runner(COOPERATIVE, processors=64)) as runner:
        resource.prlimit(runner.pid, resource.RLIMIT_DATA, (6 << 30, 6 << 30))
        for blocks, threads in ((16, 1024), (64, 256), (16, 1024), (256, 32), (16, 1024)):
            assert_right(runner.call(*arguments(blocks, threads)))
