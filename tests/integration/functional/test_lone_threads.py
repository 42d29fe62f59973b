"""A race of threads that leave a lock or flag to another thread of the block names the missing barrier."""

import re
from contextlib import closing

import numpy as np
import pytest

from judge.cases import ORDERS
from tests.integration.functional.harness import Outcome, Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
BLOCKS, THREADS = 8, 64
SOURCE = """
__device__ int lock, ready;
__global__ void reset() { lock = ready = 0; }
__global__ void update(int* sums, const int* x) {
  const int t = threadIdx.x;
  if (t == 0) {
    while (atomicCAS(&lock, 0, 1)) {}  // takes
    __threadfence();
  }
  __syncthreads();  // after
  sums[t] += x[blockIdx.x * blockDim.x + t];
  __syncthreads();  // before
  if (t == 0) {
    __threadfence();
    atomicExch(&lock, 0);  // gives
  }
}
__global__ void hand_on(int* sums, const int* x) {
  const int t = threadIdx.x;
  if (t == 0) {
    while (atomicAdd(&ready, 0) < blockIdx.x) {}  // takes
    __threadfence();
  }
  __syncthreads();  // after
  sums[t] += x[blockIdx.x * blockDim.x + t];
  __syncthreads();  // before
  if (t == 0) {
    __threadfence();
    atomicAdd(&ready, 1);  // gives
  }
}
__global__ void add_up(int* sums, const int* x, int* parts) {
  const int t = threadIdx.x;
  __shared__ bool last;
  parts[blockIdx.x * blockDim.x + t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();  // before
  if (t == 0) {
    __threadfence();
    last = atomicAdd(&ready, 1) == gridDim.x - 1;  // gives
  }
  __syncthreads();
  if (!last) return;
  for (int b = 0; b < gridDim.x; ++b) sums[t] += parts[b * blockDim.x + t];
}
extern "C" void solve(const int* x, int* sums, int* parts, int blocks, int threads, int which) {
  cudaMemset(sums, 0, threads * sizeof(int));
  cudaMemset(parts, 0, threads * blocks * sizeof(int));
  reset<<<1, 1>>>();
  if (which == 0) update<<<blocks, threads>>>(sums, x);
  if (which == 1) hand_on<<<blocks, threads>>>(sums, x);
  if (which == 2) add_up<<<blocks, threads>>>(sums, x, parts);
}
"""
KERNELS = ["update", "hand_on", "add_up"]
X = np.random.default_rng(1).integers(1, 1000, BLOCKS * THREADS).astype(np.int32)
SUMS = X.reshape(BLOCKS, THREADS).sum(0)


def line(kernel: str, mark: str) -> int:
    return marked_lines(SOURCE, mark, kernel=kernel)[0]


def outcomes(source: str, kernel: str) -> list[Outcome]:
    parts = np.zeros(BLOCKS * THREADS, np.int32)
    with closing(Runner(source)) as runner:
        return [
            runner.call(
                X,
                np.zeros(THREADS, np.int32),
                parts,
                BLOCKS,
                THREADS,
                KERNELS.index(kernel),
                flags=flags,
            )
            for flags in ORDERS
        ]


def without_barriers(kernel: str, *marks: str) -> str:
    lines = SOURCE.splitlines()
    for mark in marks:
        lines[line(kernel, mark) - 1] = ""
    return "\n".join(lines)


@pytest.mark.parametrize("kernel", KERNELS)
def test_with_all_barriers_nothing_is_found(kernel: str) -> None:
    for outcome in outcomes(SOURCE, kernel):
        np.testing.assert_array_equal(outcome.arrays[1], SUMS)
        assert not [found for found in outcome.diagnostics if found["severity"] != "note"]


@pytest.mark.parametrize(
    ("kernel", "marks"),
    [
        ("update", ("after",)),
        ("update", ("before",)),
        ("update", ("after", "before")),
        ("hand_on", ("after",)),
        ("hand_on", ("before",)),
        ("add_up", ("before",)),
    ],
)
def test_a_missing_barrier_is_named_and_no_fence(kernel: str, marks: tuple[str, ...]) -> None:
    ended = outcomes(without_barriers(kernel, *marks), kernel)
    assert not all((outcome.arrays[1] == SUMS).all() for outcome in ended)
    races = [
        str(found["message"])
        for outcome in ended
        for found in outcome.diagnostics
        if found["kind"] == "race" and "block" in str(found["message"])
    ]
    assert races
    for message in races:
        assert "__threadfence" not in message
        assert "does not synchronise with other blocks itself. Thread (0,0,0) of its block does" in message
        assert re.search(r"Put (one )?__syncthreads\(\) (after|before) line", message)
    operations = {"after": "takes", "before": "gives"}
    for mark in marks:
        at = line(kernel, operations[mark])
        assert any(f"line {at}" in message for message in races), races
