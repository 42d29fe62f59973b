"""Measures the first visible GPU: `python -m judge.device.calibrate`. Prints JSON.

Needs CuPy and the GPU to itself. The rates are the best of several rounds by CUDA events: nothing but our
own code runs in this process, so events can be believed here. Memory is measured by a copy, a sum and a fill
of arrays far larger than the L2 cache, arithmetic by square matrix products.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import cupy

_ARRAY_BYTES = 2**30
_ROUNDS = 15
_EXTENTS = {"float16": 8192, "float32": 8192, "float64": 4096}
_MS = 1e-3


def main() -> int:
    """Measure and print."""
    try:
        measured = {
            "bytes_per_s": bytes_per_s(),
            "operations_per_s": {
                dtype: operations_per_s(dtype, extent) for dtype, extent in _EXTENTS.items()
            },
            "l2_bytes": int(cupy.cuda.Device().attributes["L2CacheSize"]),
        }
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.memory.OutOfMemoryError) as error:
        sys.stderr.write(f"{error}\nCalibration needs 4 GiB of a GPU that works and is free.\n")
        return 1
    sys.stdout.write(json.dumps(measured) + "\n")
    return 0


def bytes_per_s() -> float:
    """The best rate of reading plus writing."""
    count = _ARRAY_BYTES // 4
    origin, target = cupy.ones(count, cupy.float32), cupy.empty(count, cupy.float32)
    rates = (
        2 * _ARRAY_BYTES / best_s(lambda: cupy.copyto(target, origin)),
        2 * _ARRAY_BYTES / best_s(lambda: cupy.multiply(origin, 2, out=target)),
        _ARRAY_BYTES / best_s(origin.sum),
        _ARRAY_BYTES / best_s(lambda: target.fill(1)),
    )
    return max(rates)


def operations_per_s(dtype: str, extent: int) -> float:
    """The rate of a square matrix product; a multiplication and an addition are two operations."""
    left = cupy.random.default_rng(1).random((extent, extent), dtype=cupy.float32).astype(dtype)
    right, out = left.T.copy(), cupy.empty((extent, extent), dtype)
    return 2 * extent**3 / best_s(lambda: cupy.matmul(left, right, out=out))


def best_s(work: Callable[[], Any]) -> float:
    """The shortest time that `work` takes on the GPU, seconds."""
    work()
    times_ms: list[float] = []
    for _ in range(_ROUNDS):
        before, after = cupy.cuda.Event(), cupy.cuda.Event()
        before.record()
        work()
        after.record()
        after.synchronize()
        times_ms.append(float(cupy.cuda.get_elapsed_time(before, after)))
    return min(times_ms) * _MS


if __name__ == "__main__":
    sys.exit(main())
