"""Threads may have as much local memory as CUDA gives them, also if all of a block wait."""

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import run

pytestmark = pytest.mark.integration
SOURCE = """
template <int kInts>
__global__ void fill(int* out, int step) {
    int values[kInts];
    for (int i = 0; i < kInts; ++i) values[i * step % kInts] = i;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = values[threadIdx.x * 97 * step] + values[kInts - 1];
}
extern "C" void solve(int* out, int blocks, int threads, int large) {
    if (large) fill<125 << 10><<<blocks, threads>>>(out, 1);
    else fill<75 << 10><<<blocks, threads>>>(out, 1);
}
"""


@pytest.mark.parametrize("flags", [RunFlag.NONE, *ORDERS[:2]])
@pytest.mark.parametrize("large", [0, 1])
def test_threads_have_up_to_half_a_mebibyte(flags: RunFlag, large: int) -> None:
    blocks, threads = 4, 64
    outcome = run(SOURCE, np.zeros(blocks * threads, np.int32), blocks, threads, large, flags=flags)
    assert outcome.status is None, outcome.diagnostics
    last = (125 if large else 75) * 1024 - 1
    expected = np.tile(np.arange(threads) * 97 + last, blocks)
    np.testing.assert_array_equal(outcome.arrays[0], expected)
