"""Measures the first visible GPU: `python -m judge.gpu.device.calibrate`. Prints JSON.

Needs CuPy and the GPU to itself. The rates are the best of several rounds by CUDA events: nothing but our
own code runs in this process, so events can be believed here. Memory is measured by a copy, a sum, a fill and
reads alone, of arrays far larger than the L2 cache; arithmetic by square matrix products.

What cold writes leave in the cache is measured by fills and copies of about the size of the cache, after the
cache was swept as it is before a timed call: what they wrote in less time than the memory takes for it has
not reached the memory.
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
    """Measure and print."""
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


class CalibrationKernels:
    """Measurements with our own kernels: 16 bytes per thread and access, as many threads as fit."""

    def __init__(self) -> None:
        module = cupy.RawModule(code=_SOURCE)
        self._nothing, self._read, self._fill, self._copy = (
            module.get_function(name) for name in ("nothing", "read_all", "fill_all", "copy_all")
        )
        processors = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
        self._shape = (_BLOCKS_PER_SM * processors,), (_THREADS,)
        self._found = cupy.zeros(1, cupy.uint32)

    def read_bytes_per_s(self) -> float:
        """The best rate of reads alone."""
        origin = cupy.ones(_ARRAY_BYTES // 4, cupy.float32)
        return _ARRAY_BYTES / best_s(lambda: self.read(origin, _ARRAY_BYTES))

    def absorbed_bytes(self, l2_bytes: int, rate: float) -> int:
        """The most bytes that a cold fill or copy wrote and the memory, at `rate`, cannot have taken yet."""
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
        """Read through an array."""
        self._read(*self._shape, (origin, np.int64(size_bytes // _QUAD_BYTES), self._found))


def operations_per_s(dtype: str, extent: int) -> float:
    """The rate of a square matrix product; a multiplication and an addition are two operations."""
    left = cupy.random.default_rng(1).random((extent, extent), dtype=cupy.float32).astype(dtype)
    right, out = left.T.copy(), cupy.empty((extent, extent), dtype)
    return 2 * extent**3 / best_s(lambda: cupy.matmul(left, right, out=out))


def best_s(work: Callable[[], Any], *, before: Callable[[], Any] = lambda: None) -> float:
    """The shortest time that `work` takes on the GPU, seconds. `before` comes before each round."""
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
