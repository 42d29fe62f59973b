"""Programs that keep the lines of a given program but do something else. `[fix]` must refuse all of them.

Each changes few lines, hides no given line, and computes something else in new lines. The given lines are
skipped, never reached, or have no effect.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_PRODUCT = (
    "__global__ void other(const float* a, const float* b, float* c, int m, int n, int k) {",
    "int t = blockIdx.x * 256 + threadIdx.x; float s = 0; if (t >= m * k) return;",
    "for (int i = 0; i < n; ++i) s += a[t / k * n + i] * b[i * k + t % k]; c[t] = s; }",
)
_CALL = "other<<<(m * k + 255) / 256, 256>>>(a, b, c, m, n, k);"
_INNER = (
    "float s = 0; for (int i = 0; i < n; ++i) s += a[size_t(row) * n + i] * b[size_t(i) * k + col];",
    "c[size_t(row) * k + col] = s;",
)
_SHORT = ("a += row * n;", "while (n--) sum += a[n] * b[n * k + col];")
_GUARD = "    if (row >= m || col >= k) return;"
_SOLVE = 'extern "C" void solve('
_TILES = "    for (int first = 0; first < n; first += kTile) {"
_END = "    multiply<<<blocks, dim3(kTile, kTile)>>>(a, b, c, m, n, k);"


@dataclass(frozen=True)
class Attack:
    """New lines after the given line that begins with each key; before it, if the key begins with `<`.

    Given lines that begin with one of `removed` are left out.
    """

    problem: str
    name: str
    inserted: Mapping[str, tuple[str, ...]]
    removed: tuple[str, ...] = ()

    def applied(self, given: str) -> str:
        """Return the program that the attack makes from the `given` program."""
        lines = given.splitlines()
        for key, new in self.inserted.items():
            before, text = key.startswith("<"), key.removeprefix("<")
            (place,) = (number for number, line in enumerate(lines) if line.startswith(text))
            at = place if before else place + 1
            lines[at:at] = new
        kept = (line for line in lines if not self.removed or not line.startswith(self.removed))
        return "\n".join(kept) + "\n"


def _tiled(name: str, inserted: Mapping[str, tuple[str, ...]]) -> Attack:
    return Attack("fix-tiled-product", name, inserted)


ATTACKS = (
    _tiled("returns-first", {_GUARD: (*_INNER, "return;")}),
    _tiled("if-false", {_GUARD: _INNER, f"<{_TILES}": ("if (false)",)}),
    _tiled("condition-that-never-holds", {_GUARD: _INNER, f"<{_TILES}": ("if (n < 0)",)}),
    _tiled(
        "continue",
        {_TILES: ("sum += a[row * n + first] * b[first * k + col]; first -= 15; continue;",)},
    ),
    _tiled("goto", {_GUARD: (*_INNER, "goto over;"), "    c[size_t(row) * k + col] = sum;": ("over:;",)}),
    _tiled("empty-loop", {_GUARD: _INNER, f"<{_TILES}": ("n = 0;",)}),
    _tiled("short", {f"<{_TILES}": _SHORT}),
    Attack(
        "fix-tiled-product",
        "short-over-given-lines",
        {f"<{_TILES}": _SHORT},
        ("        a_tile[threadIdx", "        b_tile[threadIdx"),
    ),
    _tiled("other-kernel", {f"<{_SOLVE}": _PRODUCT, _SOLVE: (_CALL, "return;")}),
    _tiled("overwritten", {f"<{_SOLVE}": _PRODUCT, _END: (_CALL,)}),
    _tiled("macro-of-a-pragma", {_GUARD: (*_INNER, '_Pragma("push_macro(\\"n\\")") return;')}),
    _tiled(
        "assembly",
        {
            _GUARD: (
                'asm volatile("{.reg .f32 s, u, v; .reg .s32 i; mov.f32 s, 0f00000000; mov.s32 i, 0; L:"',
                '"ld.global.f32 u, [%0]; ld.global.f32 v, [%1]; fma.rn.f32 s, u, v, s; add.s32 i, i, 1;}"',
                ':: "l"(a + row * n), "l"(b + col)); c[row * k + col] = 0; return;',
            )
        },
    ),
    Attack(
        "three-slow-kernels",
        "one-kernel",
        {
            f"<{_SOLVE}": (
                "__global__ void all(const float* x, float* y, float* energy, int rows, int cols) {",
                "int row = blockIdx.x; float sum = 0; for (int i = threadIdx.x; i < cols; i += 32) {",
                "float v = x[row * cols + i]; y[i * rows + row] = v * v; sum += v * v; }",
                "for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);",
                "if (threadIdx.x == 0) energy[row] = sum; }",
            ),
            _SOLVE: ("all<<<rows, 32>>>(x, y, energy, rows, cols); return;",),
        },
    ),
    Attack(
        "managed-vectors",
        "whole-arrays",
        {
            "    cudaMallocManaged(&z": (
                "float *u, *v, *w; cudaMalloc(&u, n * 4); cudaMalloc(&v, n * 4); cudaMalloc(&w, n * 4);",
                "cudaMemcpy(u, a, n * 4, cudaMemcpyDefault); cudaMemcpy(v, b, n * 4, cudaMemcpyDefault);",
                "add<<<n, 1>>>(u, v, w, n); cudaMemcpy(c, w, n * 4, cudaMemcpyDefault); return;",
            )
        },
    ),
    Attack(
        "stream-ordered-alloc",
        "one-kernel",
        {
            f"<{_SOLVE}": (
                "__global__ void all(const float* x, float* y, int n, int steps) {",
                "int i = blockIdx.x * kThreads + threadIdx.x; if (i >= n) return; float s = 0, p = 1;",
                "for (int k = 0; k < steps; ++k) { s += p / (k + 1); p *= x[i]; } y[i] = s; }",
            ),
            "    const int blocks": ("all<<<blocks, kThreads>>>(x, y, n, steps); return;",),
        },
    ),
    Attack(
        "fix-the-stopwatch",
        "one-measurement",
        {
            "    cudaEventCreate(&stop);": (
                "for (int k = -1; k < rounds; ++k) { cudaEventRecord(start, work); launch(x, y, n, work);",
                "cudaEventRecord(stop, work); cudaEventSynchronize(stop);",
                "if (k >= 0) cudaEventElapsedTime(&ms[k], start, stop); } if (n) return;",
            )
        },
    ),
    Attack(
        "fix-the-pipeline",
        "host-loop",
        {
            "    Slot slots[kSlots];": (
                "float* all; cudaMalloc(&all, n * 4); cudaMemcpy(all, x, n * 4, cudaMemcpyHostToDevice);",
                "for (int f = 0; f < n; f += batch) { int c = n - f < batch ? n - f : batch;",
                "find_peak<<<1, kThreads>>>(all + f, peak, c);",
                "scale<<<c, kThreads>>>(all + f, peak, all + f, c);",
                "cudaMemcpy(peaks + f / batch, peak, 4, cudaMemcpyDeviceToHost); }",
                "cudaMemcpy(y, all, n * 4, cudaMemcpyDeviceToHost); if (n) return;",
            )
        },
    ),
)
