"""Measures the first visible GPU: `python -m judge.gpu.device.calibrate`. Prints JSON.

Requires CuPy and exclusive use of the GPU. Each rate is the best of several rounds, timed by CUDA events.
Only judge code runs in this process, so the events can be trusted. The memory rate is measured by a copy, a
sum, a fill and plain reads of arrays far larger than the L2 cache. The arithmetic rate is measured by square
matrix products.

To measure how many bytes cold writes leave in the cache, fills and copies of about the size of the cache run
after the cache was swept, as it is before a timed call. If they write more bytes than the memory can accept
in that time, the rest has not reached the memory.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from judge.clock.calibration import not_yet_written

_ARRAY_BYTES = 2**30
_ROUNDS = 15
_EXTENTS = {"float16": 8192, "float32": 8192, "float64": 4096}
_MS = 1e-3
_SWEEP = 3  # times the L2 cache
_SHARES = (0.25, 0.5, 0.75, 1.0)  # of the L2 cache, written by a cold call
_BLOCKS_PER_SM = 8
_THREADS = 256
_QUAD_BYTES = 16
_SOURCE = r"""
extern "C" __global__ void nothing() {}

extern "C" __global__ void read_all(const uint4* from, long long quads, unsigned int* out) {
  uint4 seen = make_uint4(0, 0, 0, 0);
  const long long step = (long long)gridDim.x * blockDim.x;
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + 3 * step < quads; i += 4 * step) {
    const uint4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
    seen.x ^= a.x ^ b.x ^ c.x ^ d.x;
    seen.y ^= a.y ^ b.y ^ c.y ^ d.y;
    seen.z ^= a.z ^ b.z ^ c.z ^ d.z;
    seen.w ^= a.w ^ b.w ^ c.w ^ d.w;
  }
  for (; i < quads; i += step) seen.x ^= from[i].x ^ from[i].y ^ from[i].z ^ from[i].w;
  if ((seen.x ^ seen.y ^ seen.z ^ seen.w) == 0x5eed5eedu) *out = 1;  // so that the reads are needed
}

extern "C" __global__ void fill_all(uint4* to, long long quads) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += step)
    to[i] = make_uint4(i, 1, 2, 3);
}

extern "C" __global__ void copy_all(uint4* to, const uint4* from, long long quads) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += step) to[i] = from[i];
}
"""


def main() -> int:
    """Measure the GPU and print the calibration."""
    try:
        l2_bytes = int(cupy.cuda.Device().attributes["L2CacheSize"])
        kernels = CalibrationKernels()
        mixed, reads = bytes_per_s(), kernels.read_bytes_per_s()
        measured = {
            "bytes_per_s": mixed,
            "operations_per_s": {
                dtype: operations_per_s(dtype, extent) for dtype, extent in _EXTENTS.items()
            },
            "l2_bytes": l2_bytes,
            "read_bytes_per_s": reads,
            "absorbed_bytes": kernels.absorbed_bytes(l2_bytes, max(mixed, reads)),
        }
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.memory.OutOfMemoryError) as error:
        sys.stderr.write(f"{error}\nCalibration needs a working, idle GPU with 4 GiB of free memory.\n")
        return 1
    sys.stdout.write(json.dumps(measured) + "\n")
    return 0


def bytes_per_s() -> float:
    """Return the best rate of reads plus writes."""
    count = _ARRAY_BYTES // 4
    origin, target = cupy.ones(count, cupy.float32), cupy.empty(count, cupy.float32)
    rates = (
        2 * _ARRAY_BYTES / best_s(lambda: cupy.copyto(target, origin)),
        2 * _ARRAY_BYTES / best_s(lambda: cupy.multiply(origin, 2, out=target)),
        _ARRAY_BYTES / best_s(origin.sum),
        _ARRAY_BYTES / best_s(lambda: target.fill(1)),
    )
    return max(rates)


class CalibrationKernels:
    """Measures with its own kernels: 16 bytes per thread and access, as many threads as fit."""

    def __init__(self) -> None:
        module = cupy.RawModule(code=_SOURCE)
        self._nothing, self._read, self._fill, self._copy = (
            module.get_function(name) for name in ("nothing", "read_all", "fill_all", "copy_all")
        )
        processors = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
        self._shape = (_BLOCKS_PER_SM * processors,), (_THREADS,)
        self._found = cupy.zeros(1, cupy.uint32)

    def read_bytes_per_s(self) -> float:
        """Return the best rate of plain reads."""
        origin = cupy.ones(_ARRAY_BYTES // 4, cupy.float32)
        return _ARRAY_BYTES / best_s(lambda: self.read(origin, _ARRAY_BYTES))

    def absorbed_bytes(self, l2_bytes: int, rate: float) -> int:
        """Return the most bytes of a cold fill or copy that memory at `rate` cannot have received in time."""
        size = l2_bytes // _QUAD_BYTES * _QUAD_BYTES
        origin, target = cupy.ones(size, cupy.uint8), cupy.empty(size, cupy.uint8)
        private = cupy.ones(_SWEEP * size, cupy.uint8)

        def cold_s(work: Callable[[], Any]) -> float:
            return best_s(work, before=lambda: self.read(private, private.nbytes))

        launch_s = cold_s(lambda: self._nothing(*self._shape, ()))
        most = 0.0
        for share in _SHARES:
            written = int(share * size) // _QUAD_BYTES * _QUAD_BYTES
            quads = np.int64(written // _QUAD_BYTES)
            fill_s = cold_s(lambda: self._fill(*self._shape, (target, quads)))  # noqa: B023 - called at once
            copy_s = cold_s(lambda: self._copy(*self._shape, (target, origin, quads)))  # noqa: B023
            most = max(
                most,
                not_yet_written(written, written, fill_s - launch_s, rate),
                not_yet_written(written, 2 * written, copy_s - launch_s, rate),
            )
        return int(most)

    def read(self, origin: Any, size_bytes: int) -> None:
        """Read an array once."""
        self._read(*self._shape, (origin, np.int64(size_bytes // _QUAD_BYTES), self._found))


def operations_per_s(dtype: str, extent: int) -> float:
    """Return the rate of a square matrix product.

    A multiplication and an addition count as two operations.
    """
    left = cupy.random.default_rng(1).random((extent, extent), dtype=cupy.float32).astype(dtype)
    right, out = left.T.copy(), cupy.empty((extent, extent), dtype)
    return 2 * extent**3 / best_s(lambda: cupy.matmul(left, right, out=out))


def best_s(work: Callable[[], Any], *, before: Callable[[], Any] = lambda: None) -> float:
    """Return the shortest time of `work` on the GPU, in seconds. `before` runs before each round, untimed."""
    work()
    times_ms: list[float] = []
    for _ in range(_ROUNDS):
        before()
        started, ended = cupy.cuda.Event(), cupy.cuda.Event()
        started.record()
        work()
        ended.record()
        ended.synchronize()
        times_ms.append(float(cupy.cuda.get_elapsed_time(started, ended)))
    return min(times_ms) * _MS


if __name__ == "__main__":
    sys.exit(main())
