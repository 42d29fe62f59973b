"""Tests launches whose threads use many registers: refusals, and what programs can ask before a launch."""

import numpy as np
import pytest

from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import Outcome, run

pytestmark = pytest.mark.integration
DATA = np.arange(2048, dtype=np.float32)
# All elements of `kept` live at the barrier.
KERNEL = """\
__global__ void %s heavy(const float* data, float* found, int n) {
  float kept[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) kept[i] = data[(threadIdx.x * 5 + i) %% n];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 96; ++i) sum = sum * kept[95 - i] + kept[i];
  found[threadIdx.x] = sum;
}
extern "C" void solve(const float* data, float* found, int n) {
%s
}
"""


def launched(host: str, *, bounds: str = "") -> Outcome:
    found = np.zeros(1024, dtype=np.float32)
    return run(KERNEL % (bounds, host), DATA, found, 2048, flags=RunFlag.DETERMINISTIC)


def test_a_block_with_too_many_registers_is_refused() -> None:
    outcome = launched("  heavy<<<1, 1024>>>(data, found, n);")
    finding = outcome.finding("cuda_error")
    assert outcome.status == ExitStatus.RUNTIME_ERROR
    assert "kernel heavy was launched with 1024 threads per block, and each uses 1" in finding["message"]
    assert "registers. The 65536 registers of a multiprocessor suffice for" in finding["message"]
    assert "__launch_bounds__(threads)" in finding["message"]
    assert "cudaErrorLaunchOutOfResources" in finding["message"]


@pytest.mark.parametrize("bounds", ["", "__launch_bounds__(1024)"])
def test_programs_can_ask_for_the_largest_block(bounds: str) -> None:
    host = """\
  cudaFuncAttributes has;
  cudaFuncGetAttributes(&has, heavy);
  int fitting = 0, larger = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, heavy, has.maxThreadsPerBlock, 0);
  if (has.maxThreadsPerBlock < 1024) {
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&larger, heavy, has.maxThreadsPerBlock + 32, 0);
  }
  if (has.numRegs * has.maxThreadsPerBlock <= 65536 && fitting == 1 && larger == 0) {
    heavy<<<1, has.maxThreadsPerBlock>>>(data, found, n);
  }"""
    outcome = launched(host, bounds=bounds)
    assert outcome.status is None, outcome
    threads = np.count_nonzero(outcome.arrays[1])
    assert (threads == 1024) == bool(bounds)
    assert threads >= 512


def test_the_occupancy_of_an_unknown_function_is_refused() -> None:
    query = "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)solve, 64, 0);"
    outcome = launched(f"  int blocks;\n  {query}")
    assert "for a function that is not a kernel" in outcome.finding("cuda_error")["message"]
