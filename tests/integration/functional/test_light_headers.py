"""Programs compile with light headers as with nvcc's own (`sandbox.light_headers`)."""

import numpy as np
import pytest

from sandbox import light_headers
from tests.integration.functional.harness import run

pytestmark = pytest.mark.integration

PLACEMENT_NEW = """
struct Pair { float a, b; __device__ Pair(float a, float b) : a(a), b(b) {} };
__global__ void fill(float* x) {
  __shared__ char room[sizeof(Pair)];
  Pair* pair = new (room) Pair(2, 1);
  x[0] = pair->a + pair->b;
}
extern "C" void solve(float* x) { fill<<<1, 1>>>(x); }
"""
LAMBDAS = """
template <typename F> __global__ void apply(F f, float* x) { x[threadIdx.x] = f(threadIdx.x); }
extern "C" void solve(float* x) {
  float three = 3;
  apply<<<1, 1>>>([=] __device__ (int i) { return i + 2 * three; }, x);
  apply<<<1, 1>>>([=] __host__ __device__ (int i) { return i + three; }, x);
}
"""
HEADERS = """
#include <cfloat>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <functional>
#include <mma.h>
namespace cg = cooperative_groups;
__global__ void sum(float* x) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float ones = warp.shfl_down(__half2float(__float2half(1.0f)), 1);
  if (warp.thread_rank() == 0) x[0] = ones + fmaxf(sqrtf(4.0f), -FLT_MAX);
}
extern "C" void solve(float* x) { sum<<<1, 32>>>(x); }
"""
STD_WITHOUT_ITS_HEADERS = """
__global__ void copy(float* x, float y) { x[0] = y; }
extern "C" void solve(float* x) {
  std::vector<float> values{1, 3, 2};
  copy<<<1, 1>>>(x, *std::max_element(values.begin(), values.end()));
}
"""


@pytest.mark.parametrize("source", [PLACEMENT_NEW, LAMBDAS, HEADERS])
def test_a_program_without_std_needs_no_more(source: str) -> None:
    assert light_headers.suffice(source.encode())
    outcome = run(source, np.zeros(64, np.float32))
    assert outcome.status is None
    assert outcome.arrays[0][0] == 3


def test_a_program_with_std_has_what_nvcc_includes() -> None:
    outcome = run(STD_WITHOUT_ITS_HEADERS, np.zeros(64, np.float32))
    assert outcome.status is None
    assert outcome.arrays[0][0] == 3
