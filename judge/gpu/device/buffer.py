"""An array in GPU memory of the referee, with guard bands and poison. See `judge.gpu.device.memory`."""

import os
from typing import TYPE_CHECKING, Self

import cupy

from judge.gpu.device.errors import our_errors
from judge.gpu.device.kernels import Secret
from judge.runner.memory import PrivateBytes
from judge.runner.poison import BENDS, STRAIGHT
from problems.vocabulary import Dtype
from sandbox.runner.vmm import Allocation

if TYPE_CHECKING:
    from judge.gpu.device.memory import DeviceMemory

BAND_BYTES = 64 * 2**10  # aligns the payload, and catches accesses that are off by a row or a block


class DeviceBuffer:
    """The GPU memory of one array. Implements `judge.runner.memory.Buffer`.

    `DeviceMemory.buffer` creates it.
    """

    def __init__(self, memory: "DeviceMemory", allocation: Allocation, name: str, size_bytes: int) -> None:
        self.name = name
        self.size_bytes = size_bytes
        self.offset = BAND_BYTES
        self.whole_bytes = allocation.size_bytes
        self.descriptor = allocation.export()
        self._memory = memory
        self._allocation = allocation
        self._secret_before, self._secret_after = Secret.draw(), Secret.draw()
        kernels = memory.kernels
        kernels.fill_random(allocation.pointer, 0, BAND_BYTES, self._secret_before)
        kernels.fill_random(self._end, 0, self._after_bytes, self._secret_after)

    @property
    def payload(self) -> int:
        """The address of the first element."""
        return self._allocation.pointer + BAND_BYTES

    @property
    def _end(self) -> int:
        return self.payload + self.size_bytes

    @property
    def _after_bytes(self) -> int:
        return self._allocation.size_bytes - BAND_BYTES - self.size_bytes

    def fill(self, contents: PrivateBytes) -> None:
        """Copy `contents` into the payload."""
        with our_errors():
            self._memory.copy(self.payload, self._pointer(contents), self.size_bytes)

    def poison(self, into: PrivateBytes | None = None, *, dtype: Dtype | None = None) -> PrivateBytes:
        """Fill the payload with new poison for elements of `dtype`, and return a copy of the poison."""
        with our_errors():
            kept = self._memory.fresh(self.size_bytes) if into is None else into
            copy = self._pointer(kept)
            bend = BENDS[dtype] if dtype else STRAIGHT
            self._memory.kernels.fill_random(self.payload, copy, self.size_bytes, Secret.draw(), bend)
            return kept

    def clear(self) -> None:
        """Fill the payload with zeros."""
        with our_errors():
            self._memory.clear(self.payload, self.size_bytes)

    def snapshot(self, into: PrivateBytes | None = None) -> PrivateBytes:
        """Return a private copy of the current payload."""
        with our_errors():
            kept = self._memory.fresh(self.size_bytes) if into is None else into
            self._memory.copy(self._pointer(kept), self.payload, self.size_bytes)
            return kept

    def holds(self, contents: PrivateBytes) -> bool:
        """Return whether the payload currently equals `contents`."""
        with our_errors():
            kernels = self._memory.kernels
            kernels.clear_differences()
            kernels.check_equal(self.payload, self._pointer(contents), self.size_bytes)
            return not kernels.differences()[0]

    def damage(self) -> str | None:
        """Return a message for the author that names the overwritten guard band, or None."""
        with our_errors():
            kernels = self._memory.kernels
            kernels.clear_differences()
            kernels.check_random(self._allocation.pointer, BAND_BYTES, self._secret_before, slot=0)
            kernels.check_random(self._end, self._after_bytes, self._secret_after, slot=1)
            before, after = kernels.differences()
        if before:
            return f"memory just before the first element of {self.name} was overwritten"
        if after:
            return f"memory just past the last element of {self.name} was overwritten"
        return None

    def close(self) -> None:
        """Scrub the memory. The next `synchronize` releases it."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
            self._memory.retire(self._allocation)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _pointer(self, contents: PrivateBytes) -> int:
        return pointer_of(contents, self.size_bytes)


def pointer_of(contents: PrivateBytes, size_bytes: int) -> int:
    """Return the device address of `contents`.

    Raises TypeError if `contents` are not in GPU memory, and ValueError if they have another size.
    """
    if not isinstance(contents, cupy.ndarray):
        raise TypeError(f"these contents have the wrong type for this buffer: {type(contents).__name__}")
    if contents.nbytes != size_bytes:
        raise ValueError(f"contents of {contents.nbytes} bytes, expected {size_bytes}")
    return int(contents.data.ptr)
