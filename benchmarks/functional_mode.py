"""Measures the time of functional mode per kernel: `python -m benchmarks.functional_mode [NAME…]`.

A time is that of one call of `solve`, from request to reply, with bounds checks and on all processors. It is
the best of three. `earlier` is the time that a study before this engine measured for the same kernel and
size, on two cores of another machine. A ratio far above 1 is therefore only a hint.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.integration.functional.harness import Argument, Runner, compile_source

KERNELS = Path(__file__).parent / "kernels"
REPETITIONS = 3
_F32 = np.float32


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    kernel: str
    size: str
    earlier_s: float | None
    arguments: Callable[[], tuple[Argument, ...]]


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).random(shape, _F32)


def _empty(*shape: int) -> np.ndarray:
    return np.zeros(shape, _F32)


def _counts(n: int, bins: int) -> tuple[Argument, ...]:
    values = np.random.default_rng(1).integers(0, bins, n).astype(np.int32)
    return values, np.zeros(bins, np.int32), n, bins


def _halves(n: int) -> tuple[Argument, ...]:
    return _random(n, n).astype(np.float16), _random(n, n).astype(np.float16), _empty(n, n), n


def _matmul(m: int, n: int, k: int) -> tuple[Argument, ...]:
    return _random(m, n), _random(n, k), _empty(m, k), m, n, k


def _convolution(rows: int, columns: int, size: int) -> tuple[Argument, ...]:
    out = _empty(rows - size + 1, columns - size + 1)
    return _random(rows, columns), _random(size, size), out, rows, columns, size


def _vectors(n: int) -> tuple[Argument, ...]:
    return _random(n), _random(n), _empty(n), n


ROWS = (
    Row("vector_add", "16.8 M", 0.111, lambda: _vectors(1 << 24)),
    Row("matmul_tiled", "512x500x520", 0.357, lambda: _matmul(512, 500, 520)),
    Row("matmul_registers", "512x512x512", 0.044, lambda: _matmul(512, 512, 512)[:4]),
    Row("reduce", "4.2 M", 0.054, lambda: (_random(1 << 22), _empty(1), 1 << 22)),
    Row("scan", "1 M", 0.174, lambda: (_random(1 << 20), _empty(1 << 20), 1 << 20)),
    Row("histogram", "4.2 M", 0.020, lambda: _counts(1 << 22, 256)),
    Row("transpose", "2050x2000", 0.053, lambda: (_random(2050, 2000), _empty(2000, 2050), 2050, 2000)),
    Row("softmax", "1024x1024", 0.092, lambda: (_random(1024, 1024), _empty(1024, 1024), 1024, 1024)),
    Row("layer_norm", "2048x768", 0.095, lambda: (_random(2048, 768), _empty(2048, 768), 2048, 768)),
    Row("convolution", "1024x1000, 5x5", 0.045, lambda: _convolution(1024, 1000, 5)),
    Row("bitonic_sort", "262 k", 0.285, lambda: (_random(1 << 18), 1 << 18)),
    Row("wmma", "256x256x256", 0.071, lambda: _halves(256)),
    Row("grid_sync", "64 blocks, 20 times", 0.356, lambda: (_empty(64 * 128), 20)),
)


def small_rows() -> tuple[Row, ...]:
    """Return rows for the same kernels with at most 256 KiB of input.

    Functional mode looks for races in cases of this size.
    """
    return (
        Row("vector_add", "32 k", None, lambda: _vectors(1 << 15)),
        Row("matmul_tiled", "64x96x80", None, lambda: _matmul(64, 96, 80)),
        Row("matmul_registers", "128x128x128", None, lambda: _matmul(128, 128, 128)[:4]),
        Row("reduce", "64 k", None, lambda: (_random(1 << 16), _empty(1), 1 << 16)),
        Row("scan", "64 k", None, lambda: (_random(1 << 16), _empty(1 << 16), 1 << 16)),
        Row("histogram", "64 k", None, lambda: _counts(1 << 16, 256)),
        Row("transpose", "250x200", None, lambda: (_random(250, 200), _empty(200, 250), 250, 200)),
        Row("softmax", "200x300", None, lambda: (_random(200, 300), _empty(200, 300), 200, 300)),
        Row("layer_norm", "80x768", None, lambda: (_random(80, 768), _empty(80, 768), 80, 768)),
        Row("convolution", "250x200, 5x5", None, lambda: _convolution(250, 200, 5)),
        Row("bitonic_sort", "16 k", None, lambda: (_random(1 << 14), 1 << 14)),
        Row("wmma", "128x128x128", None, lambda: _halves(128)),
        Row("grid_sync", "64 blocks, 20 times", None, lambda: (_empty(64 * 128), 20)),
    )


def measure(row: Row) -> tuple[float, float]:
    """Return the seconds to compile, and the seconds of the fastest call."""
    source = (KERNELS / f"{row.kernel}.cu").read_text()
    compiled = compile_source(source)
    runner = Runner(source)
    arguments = row.arguments()
    times = []
    try:
        for _ in range(REPETITIONS):
            outcome = runner.call(*arguments)
            times.append(outcome.took_s)
            if outcome.status is not None:
                raise SystemExit(f"{row.kernel} ended with {outcome.status}: {outcome.diagnostics}")
    finally:
        runner.close()
    return compiled.wall_s, min(times)


def main(names: list[str]) -> None:
    """Print the table for all kernels, or for those in `names`."""
    print(f"{'kernel':18}{'size':21}{'compile s':>10}{'run s':>8}{'earlier':>9}{'ratio':>7}")
    for row in ROWS:
        if names and row.kernel not in names:
            continue
        compile_s, run_s = measure(row)
        ratio = f"{run_s / row.earlier_s:6.2f}" if row.earlier_s else ""
        earlier = f"{row.earlier_s:.3f}" if row.earlier_s else ""
        print(f"{row.kernel:18}{row.size:21}{compile_s:10.2f}{run_s:8.3f}{earlier:>9} {ratio}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
