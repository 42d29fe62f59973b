"""Tests that no program is right by what fresh memory holds, or by approximations that are too precise."""

from contextlib import closing

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner, run

pytestmark = pytest.mark.integration
N = 64
ADD = """
__global__ void add(int* sums, int* y) { y[threadIdx.x] = atomicAdd(&sums[threadIdx.x], 7) + 7; }
extern "C" void solve(int* y) {
  int* sums;
  %s(&sums, 64 * sizeof(int));
  add<<<1, 64>>>(sums, y);
  cudaDeviceSynchronize();
}
"""
MARKS = """
__global__ void mark(TYPE* seen, int* y) { y[threadIdx.x] = seen[threadIdx.x] == 1 ? 0 : 7; }
extern "C" void solve(int* y) {
  TYPE* seen;
  cudaMalloc(&seen, 64 * sizeof(TYPE));
  mark<<<1, 64>>>(seen, y);
  cudaFree(seen);
}
"""
APPROXIMATE = """
__global__ void apply(const float* x, float* y, int which) {
  const float a = x[threadIdx.x];
  float r = 0;
  if (which == 0) asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
  if (which == 1) r = __sinf(a);
  if (which == 2) r = __cosf(a);
  y[threadIdx.x] = r;
}
extern "C" void solve(const float* x, float* y, int which) { apply<<<1, 64>>>(x, y, which); }
"""


def right_in_every_order(source: str) -> bool:
    results = []
    with closing(Runner(source)) as runner:
        for flags in ORDERS:
            outcome = runner.call(np.full(N, -5, np.int32), flags=flags)
            assert outcome.status is None, outcome.diagnostics
            results.append(bool((outcome.arrays[0] == 7).all()))
    return all(results)


@pytest.mark.parametrize("allocate", ["cudaMalloc", "cudaMallocManaged", "cudaMallocHost"])
def test_sums_that_were_never_cleared_are_wrong(allocate: str) -> None:
    assert not right_in_every_order(ADD % allocate)


@pytest.mark.parametrize("mark", ["int", "unsigned char"])
def test_marks_that_were_never_cleared_are_wrong(mark: str) -> None:
    assert not right_in_every_order(MARKS.replace("TYPE", mark))


def approximate(which: int, x: np.ndarray) -> np.ndarray:
    outcome = run(APPROXIMATE, x.astype(np.float32), np.zeros(N, np.float32), which, flags=RunFlag.NONE)
    assert outcome.status is None, outcome.diagnostics
    return outcome.arrays[1]


def test_tanh_approx_has_the_error_of_a_gpu() -> None:
    x = np.linspace(-4, 4, N)
    error = np.abs(approximate(0, x) / np.tanh(x) - 1)
    assert 2**-13 < error.max() <= 2**-11


@pytest.mark.parametrize(("which", "exact"), [(1, np.sin), (2, np.cos)])
def test_sine_and_cosine_lose_precision_for_large_angles(which: int, exact: np.ufunc) -> None:
    small, large = np.linspace(-3, 3, N), np.linspace(9000, 10000, N)
    x = large.astype(np.float32).astype(np.float64)
    assert np.abs(approximate(which, small) - exact(small)).max() < 2**-20
    assert 2**-14 < np.abs(approximate(which, large) - exact(x)).max() < 2**-9
