"""The oracle on a GPU: an author's `reference.py` with CuPy, over device memory.

Theory of operation: see `oracle_runner`. Arrays are views of device memory that the host allocated and shares
as descriptors (`vmm`); inputs and expected outputs never leave the GPU. The oracle never meets a
submission, so its use of the memory reveals nothing to programs.

CuPy compiles each kernel at its first use, and compiles reductions for every block size. So operations that
apply to every array use kernels that do not depend on the size. Sums, maxima and minima of large arrays use
the precompiled routines of CUB, because CuPy's own reduction to one element runs in a single block and is 20
to 70 times slower. Other CUB reductions would take seconds to compile and are disabled (`CUPY_ACCELERATORS`).
An oracle draws repeatedly, so it keeps working memory up to a bound: allocating and freeing memory takes
longer than filling a small set.
"""

import math
import sys
from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from sandbox.runner.contract import Array, ArrayModule
from sandbox.runner.device_arguments import DeviceArguments
from sandbox.runner.generator import Generator, Size
from sandbox.runner.oracle_runner import OracleRunner
from sandbox.runner.session import STORAGE, serve
from sandbox.wire import Request, WireArgument

_KEPT_BYTES = 256 << 20
_FIND_FALSE = cupy.ElementwiseKernel(
    "bool holds", "raw int32 found", "if (!holds) found[0] = 1", "warpcourt_find_false"
)


class DeviceGenerator(Generator):
    """Over CuPy's Philox."""

    def __init__(self, seed: int) -> None:
        self._cupy = cupy.random.Generator(cupy.random.Philox4x3210(seed))

    def random(self, size: Size = None, dtype: Any = np.float64) -> Array:
        """See Generator."""
        return self._cupy.random(size, dtype)

    def standard_normal(self, size: Size = None, dtype: Any = np.float64) -> Array:
        """See Generator."""
        return self._cupy.standard_normal(size, dtype)

    def integers(
        self,
        low: int,
        high: int | None = None,
        size: Size = None,
        dtype: Any = np.int64,
        *,
        endpoint: bool = False,
    ) -> Array:
        """See Generator. Drawn from 0 in 64 bits: CuPy adds a negative `low` to unsigned numbers."""
        if high is None:
            low, high = 0, low
        values = self._cupy.integers(0, high - low, size, np.int64, endpoint)
        values += low
        return values.astype(dtype, copy=False)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Size = None) -> Array:
        """See Generator. In place: arrays may be gigabytes."""
        values = self.random(size)
        values *= high - low
        values += low
        return values

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Size = None) -> Array:
        """See Generator."""
        values = self.standard_normal(size)
        values *= scale
        values += loc
        return values


class DeviceArrays:
    """CuPy over shared device memory."""

    xp: ArrayModule = cupy

    def __init__(self) -> None:
        self._memory = DeviceArguments()

    def prepare(self) -> None:
        """Open the GPU and load what every reference needs."""
        self._memory.open()
        cupy._core.set_routine_accelerators(["cub"])  # noqa: SLF001 - the environment sets both kinds alike
        self.every(cupy.isfinite(DeviceGenerator(0).random(1, np.float32)))

    def generator(self, seed: int) -> Generator:
        """CuPy's."""
        return DeviceGenerator(seed)

    def every(self, holds: Array) -> bool:
        """Uses one kernel for all sizes, unlike CuPy's `all`."""
        found = cupy.zeros(1, np.int32)
        _FIND_FALSE(holds, found)
        return not int(found[0])

    def view(self, request: Request, descriptors: Sequence[int]) -> Sequence[Array | None]:
        """Return arrays over the device memory of the descriptors."""
        addresses = self._memory.map(request.arguments, descriptors)
        return [
            self._view(argument, address)
            for argument, address in zip(request.arguments, addresses, strict=True)
        ]

    def finish(self) -> None:
        """Wait for the device, unmap shared memory, and free working memory above the bound."""
        cupy.cuda.Device().synchronize()
        self._memory.release()
        pool = cupy.get_default_memory_pool()
        if pool.total_bytes() > _KEPT_BYTES:
            pool.free_all_blocks()

    def _view(self, argument: WireArgument, address: int) -> Array | None:
        if argument.scalar:
            return None
        dtype = STORAGE[argument.dtype]
        if argument.bytes == 0:  # no elements, or an output, whose expected values have a separate array
            return None if math.prod(argument.shape) else cupy.empty(argument.shape, dtype)
        memory = cupy.cuda.UnownedMemory(address, argument.bytes, self._memory, cupy.cuda.Device().id)
        return cupy.ndarray(argument.shape, dtype, cupy.cuda.MemoryPointer(memory, 0))


def main() -> None:
    """Serve until the host closes the channel."""
    serve(OracleRunner(DeviceArrays()))


if __name__ == "__main__":
    main()
    sys.exit(0)
