"""Tests launches on hosts with many processors: the stacks of waiting threads fit into the limits."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.integration.functional.harness import Runner

pytestmark = pytest.mark.integration
KERNELS = Path(__file__).parent / "kernels"
PROCESSORS = 64
SUMS = """
__global__ void sums(const float* x, float* out) {
    __shared__ float values[1024];
    int i = threadIdx.x;
    values[i] = x[blockIdx.x * blockDim.x + i];
    __syncthreads();
    for (int width = blockDim.x / 2; width > 0; width /= 2) {
        if (i < width) values[i] += values[i + width];
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = values[0];
}
extern "C" void solve(const float* x, float* out, int blocks, int threads) {
    sums<<<blocks, threads>>>(x, out);
}
"""


def test_as_many_workers_as_have_room_for_their_waiting_threads() -> None:
    # Workers keep their stacks. Those of the first launch must leave room for the second.
    with closing(Runner(SUMS, processors=PROCESSORS)) as runner:
        for threads in (256, 1024):
            blocks = 512
            x = np.random.default_rng(1).integers(0, 9, blocks * threads).astype(np.float32)
            outcome = runner.call(x, np.empty(blocks, np.float32), blocks, threads)
            assert outcome.status is None, outcome.diagnostics
            np.testing.assert_array_equal(outcome.arrays[1], x.reshape(blocks, threads).sum(axis=1))


def test_blocks_that_wait_for_others_end_on_many_workers() -> None:
    n = 200_000
    x = np.random.default_rng(1).integers(-9, 9, n).astype(np.int32)
    with closing(Runner((KERNELS / "scan.cu").read_text(), processors=PROCESSORS)) as runner:
        outcome = runner.call(x, np.empty_like(x), n)
    assert outcome.status is None, outcome.diagnostics
    np.testing.assert_array_equal(outcome.arrays[1], np.cumsum(x))
