"""Tests kernels of all kinds, compiled by nvcc and executed on the CPU, against NumPy."""

import math
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner, run

pytestmark = pytest.mark.integration
KERNELS = Path(__file__).parent / "kernels"
MODES = [
    pytest.param(RunFlag.NONE, id="parallel"),
    pytest.param(RunFlag.DETERMINISTIC | RunFlag.RACES, id="races"),
    pytest.param(RunFlag.DETERMINISTIC | RunFlag.REVERSED, id="reversed"),
]


def kernel(name: str) -> str:
    return (KERNELS / f"{name}.cu").read_text()


def floats(*shape: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def passed(outcome: Outcome) -> Outcome:
    assert outcome.status is None, outcome.diagnostics
    assert outcome.guards_intact
    unexpected = [d for d in outcome.diagnostics if d["severity"] != "note"]
    assert not unexpected
    return outcome


@pytest.mark.parametrize("flags", MODES)
def test_elementwise_and_lambda(flags: RunFlag) -> None:
    a, b = floats(1000), floats(1000, seed=2)
    outcome = passed(run(kernel("elementwise"), a, b, np.empty_like(a), 1000, 3.0, flags=flags))
    np.testing.assert_allclose(outcome.arrays[2], (a + b) * np.float32(3), rtol=1e-6)


@pytest.mark.parametrize("flags", MODES)
def test_tiled_matrix_product(flags: RunFlag) -> None:
    m, n, k = 37, 45, 51
    a, b = floats(m, n), floats(n, k, seed=2)
    c = np.empty((m, k), np.float32)
    outcome = passed(run(kernel("matmul"), a, b, c, c.copy(), m, n, k, flags=flags))
    np.testing.assert_allclose(outcome.arrays[2], a @ b, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(outcome.arrays[3], a @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [1, 31, 1000, 5000])
def test_reductions(n: int) -> None:
    x = floats(n)
    outcome = run(kernel("reduce"), x, np.empty(3, np.float32), n)
    assert outcome.status is None, outcome.diagnostics
    np.testing.assert_allclose(outcome.arrays[1], np.full(3, x.sum(dtype=np.float64)), atol=1e-3)


@pytest.mark.parametrize("flags", [RunFlag.NONE, RunFlag.DETERMINISTIC])
def test_scan_with_look_back(flags: RunFlag) -> None:
    x = np.random.default_rng(3).integers(-9, 9, 20_000).astype(np.int32)
    outcome = passed(run(kernel("scan"), x, np.empty_like(x), x.size, flags=flags))
    np.testing.assert_array_equal(outcome.arrays[1], np.cumsum(x))


@pytest.mark.parametrize("flags", MODES)
def test_histogram(flags: RunFlag) -> None:
    x = np.random.default_rng(4).integers(0, 50, 10_000).astype(np.int32)
    outcome = passed(run(kernel("histogram"), x, np.empty(50, np.int32), x.size, 50, flags=flags))
    np.testing.assert_array_equal(outcome.arrays[1], np.bincount(x, minlength=50))


@pytest.mark.parametrize("flags", MODES)
def test_transpose_softmax_and_layer_norm(flags: RunFlag) -> None:
    rows, columns = 45, 70
    x = floats(rows, columns)
    outs = [np.empty((columns, rows), np.float32), np.empty_like(x), np.empty_like(x)]
    outcome = passed(run(kernel("rows"), x, *outs, rows, columns, flags=flags))
    exps = np.exp(x.astype(np.float64))
    norm = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_array_equal(outcome.arrays[1], x.T)
    np.testing.assert_allclose(outcome.arrays[2], exps / exps.sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(outcome.arrays[3], norm, rtol=1e-4, atol=1e-5)


def test_convolution_with_constant_memory() -> None:
    rows, columns, size = 33, 29, 5
    x, w = floats(rows, columns), floats(size, size, seed=2)
    out = np.empty((rows - 4, columns - 4), np.float32)
    outcome = passed(run(kernel("convolution"), x, w, out, rows, columns, size))
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size))
    expected = np.einsum("ijkl,kl->ij", windows, w)
    np.testing.assert_allclose(outcome.arrays[2], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [1, 100, 1500])
def test_bitonic_sort(n: int) -> None:
    x = floats(n)
    outcome = passed(run(kernel("sort"), x, n))
    np.testing.assert_array_equal(outcome.arrays[0], np.sort(x))


def test_half_and_bfloat16() -> None:
    a, b = floats(256), floats(256, seed=2)
    outcome = passed(run(kernel("half"), a, b, np.empty_like(a), np.empty_like(a), 256))
    ha, hb = a.astype(np.float16), b.astype(np.float16)
    fused = ha.astype(np.float64) * hb.astype(np.float64) + (ha + hb).astype(np.float64)
    np.testing.assert_array_equal(outcome.arrays[2], fused.astype(np.float16).astype(np.float32))
    np.testing.assert_allclose(outcome.arrays[3], a * b, rtol=0.02)


def test_tensor_core_fragments() -> None:
    a, b = floats(16, 16).astype(np.float16), floats(16, 16, seed=2).astype(np.float16)
    c = np.empty((16, 16), np.float32)
    outcome = passed(run(kernel("tensor_core"), a, b, c, c.copy()))
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(outcome.arrays[2], expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(outcome.arrays[3], expected, rtol=1e-4, atol=1e-4)


def test_streams_events_graphs_and_memory_kinds() -> None:
    x = floats(100)
    outcome = passed(run(kernel("host_api"), x, np.empty(8, np.float32), 100))
    np.testing.assert_allclose(outcome.arrays[0], x + 8, rtol=1e-6)
    np.testing.assert_array_equal(outcome.arrays[1], [1, 4, 4, 0, 8, 32, 0, 0.5])


def test_cooperative_groups() -> None:
    n, steps = 512, 5
    x = floats(n)
    values = np.random.default_rng(5).integers(0, 100, n).astype(np.int32)
    outs = [np.empty(n // 8, np.int32), np.empty(1, np.int32)]
    outcome = passed(run(kernel("cooperative"), x, np.empty_like(x), values, *outs, n, steps))
    expected = x
    for _ in range(steps):
        expected = ((expected + np.roll(expected, -1)) / 2).astype(np.float32)
    np.testing.assert_allclose(outcome.arrays[1], expected, rtol=1e-5)
    np.testing.assert_array_equal(outcome.arrays[3], values.reshape(-1, 8).sum(1))
    assert outcome.arrays[4][0] == np.count_nonzero(values % 2)


def test_warp_operations() -> None:
    v = np.random.default_rng(6).integers(0, 100, 32).astype(np.int32)
    outcome = passed(run(kernel("warp"), v, np.empty((32, 12), np.int32)))
    lanes = np.arange(32)
    bit = (1 << lanes).astype(np.uint64)
    got = outcome.arrays[1].astype(np.int64)
    ballot = int(bit[v > 50].sum())
    same = np.array([int(bit[v % 4 == x % 4].sum()) for x in v])
    expected = np.stack(
        [
            np.full(32, ballot),
            np.ones(32, int),
            np.ones(32, int),
            same,
            np.full(32, 0xFFFFFFFF),
            np.where(lanes % 16 >= 3, v[lanes - 3], v),
            v[lanes // 8 * 8 + (lanes + 1) % 8],
            np.full(32, v.sum()),
            np.full(32, v.max()),
            np.where(lanes % 2, 16, 0),
            1 * 5 + 2 * 6 + 3 * 7 + 4 * 8 + v,
            np.array([int(f"{x:032b}"[::-1], 2) for x in v]),
        ],
        axis=1,
    )
    np.testing.assert_array_equal(got & 0xFFFFFFFF, expected & 0xFFFFFFFF)


def test_device_printf_heap_virtual_functions_and_recursion() -> None:
    outcome = passed(run(kernel("device_calls"), np.empty(32, np.float32)))
    i = np.arange(32)
    area = np.where(i % 2, i * i, 3 * i * i)
    fibonacci = np.array([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])[i % 10]
    np.testing.assert_allclose(outcome.arrays[0], area + 7 * i + i % 16 * i + fibonacci + i + 7.5)
    assert outcome.output == "thread 3 of work:  1.50 x 1099511627776 %\n"


HEAP = """\
#include <cuda_runtime.h>
__device__ int* kept[40000];
__global__ void take(int bytes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  kept[i] = static_cast<int*>(malloc(bytes));
  if (kept[i]) *kept[i] = i;
}
__global__ void give(int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = kept[i] ? *kept[i] : -1;
  free(kept[i]);
}
extern "C" void solve(int* out, int blocks, int bytes, int limit) {
  if (limit) cudaDeviceSetLimit(cudaLimitMallocHeapSize, limit);
  take<<<blocks, 32>>>(bytes);
  give<<<blocks, 32>>>(out);
}
"""


def test_many_threads_allocate_at_once() -> None:
    outcome = passed(run(HEAP, np.empty(40_000, np.int32), 1250, 16, 0))
    np.testing.assert_array_equal(outcome.arrays[0], np.arange(40_000))


@pytest.mark.parametrize(("limit_mib", "given"), [(0, 8), (16, 16), (64, 32)])
def test_the_heap_of_kernels_ends_at_its_limit(limit_mib: int, given: int) -> None:
    outcome = passed(run(HEAP, np.empty(32, np.int32), 1, 1 << 20, limit_mib << 20))
    assert (outcome.arrays[0] >= 0).sum() == given


def test_mathematical_functions() -> None:
    x = np.linspace(-3, 3, 101, dtype=np.float32)
    single_out, double_out = np.empty((101, 12), np.float32), np.empty((101, 4), np.float64)
    outcome = passed(run(kernel("math"), x, single_out, double_out, 101))
    w = x.astype(np.float64)
    a = np.abs(w)
    erf = np.vectorize(math.erf)(w)
    gamma = np.vectorize(math.gamma)(a + 1)
    single = [np.sin(w), np.cos(w), np.exp(w), np.log(a + 1), np.sqrt(a), np.tanh(w), erf]
    single += [(a + 0.5) ** 1.7, np.arctan2(w, 2), np.cbrt(w), np.exp(w), 1 / np.sqrt(a + 1)]
    double = [np.sin(w), np.exp(w), gamma, np.log1p(a)]
    np.testing.assert_allclose(outcome.arrays[1], np.stack(single, 1), rtol=2e-6, atol=1e-6)
    np.testing.assert_allclose(outcome.arrays[2], np.stack(double, 1), rtol=1e-13, atol=1e-15)


def test_textures_and_surfaces() -> None:
    rows, columns = 5, 7
    x = floats(rows, columns)
    out = np.empty((rows, columns, 4), np.float32)
    got = passed(run(kernel("texture"), x, out, rows, columns)).arrays[1]
    right = x[:, np.minimum(np.arange(columns) + 1, columns - 1)]
    np.testing.assert_array_equal(got[..., 0], x)
    np.testing.assert_allclose(got[..., 1], (x + right) / 2, rtol=1e-6)
    np.testing.assert_array_equal(got[..., 2], x)
    np.testing.assert_array_equal(got[..., 3], -x)


def test_a_texture_of_rows_needs_an_aligned_pitch() -> None:
    source = """
__global__ void read(cudaTextureObject_t image, float* y) {
  y[threadIdx.x] = tex2D<float>(image, threadIdx.x, 1);
}
extern "C" void solve(float* x, float* y, int w) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {x, cudaCreateChannelDesc<float>(), size_t(w), 2, w * sizeof(float)};
  cudaTextureDesc how = {};
  cudaTextureObject_t image;
  if (cudaCreateTextureObject(&image, &resource, &how, nullptr) != cudaSuccess) return;
  read<<<1, w>>>(image, y);
  cudaDestroyTextureObject(image);
}
"""
    with closing(Runner(source)) as runner:
        right = runner.call(floats(32), np.zeros(16, np.float32), 16)
        refused = runner.call(floats(32), np.zeros(12, np.float32), 12)
    np.testing.assert_array_equal(passed(right).arrays[1], floats(32)[16:])
    message = str(refused.diagnostics)
    assert "cudaErrorInvalidValue" in message
    assert "pitchInBytes is 48, which is not a multiple of 32" in message
    assert not refused.arrays[1].any()


def test_breadth_first_search() -> None:
    vertices = 200
    rng = np.random.default_rng(7)
    neighbours = [sorted(rng.choice(vertices, 3, replace=False)) for _ in range(vertices)]
    starts = np.arange(0, 3 * vertices + 1, 3, dtype=np.int32)
    edges = np.concatenate(neighbours).astype(np.int32)
    expected = np.full(vertices, -1)
    expected[0] = 0
    frontier = [0]
    while frontier:
        found = []
        for v in frontier:
            for u in neighbours[v]:
                if expected[u] < 0:
                    expected[u] = expected[v] + 1
                    found.append(int(u))
        frontier = found
    outcome = passed(run(kernel("bfs"), starts, edges, np.empty(vertices, np.int32), vertices))
    np.testing.assert_array_equal(outcome.arrays[2], expected)


@pytest.mark.slow
@pytest.mark.parametrize("flags", [RunFlag.NONE, *ORDERS])
def test_thrust_and_cub(flags: RunFlag) -> None:
    x = floats(5000)
    outcome = passed(run(kernel("library"), x, np.empty(1, np.float32), x.size, flags=flags))
    np.testing.assert_array_equal(outcome.arrays[0], np.sort(x))
    np.testing.assert_allclose(outcome.arrays[1][0], x.sum(dtype=np.float64), atol=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("flags", [RunFlag.NONE, *ORDERS])
def test_a_histogram_by_cub(flags: RunFlag) -> None:
    x = np.random.default_rng(6).integers(0, 64, 5000).astype(np.int32)
    outcome = passed(run(kernel("histogram_library"), x, np.empty(64, np.int32), x.size, 64, flags=flags))
    np.testing.assert_array_equal(outcome.arrays[1], np.bincount(x, minlength=64))
