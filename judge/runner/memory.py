"""The memory that the referee judges in: on this host, or on a GPU.

Theory of operation. The referee's code is one; what differs between a CPU and a GPU is where arrays
live. A `Memory` makes buffers that are shared with a sandbox, opens the sets that the oracle drew, and
compares outputs, all without saying what the bytes are kept in: `PrivateBytes` are bytes in memory of the
referee's own, which only the memory that made them can read. `judge.runner.buffers.HostMemory` keeps them in
NumPy arrays, `judge.gpu.device.memory.DeviceMemory` in device memory.

Work on a GPU is queued. Operations of one memory happen in the order in which they were asked for, and
`synchronize` returns when they are done: call it before a sandbox is told to look. Methods that return a
result (`holds`, `damage`, `compare`) synchronise first.
"""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from judge.drawn import CaseData
from judge.errors import JudgeError
from judge.runner.comparison import OutputComparison
from problems.schema import Argument
from problems.vocabulary import Dtype


class DeviceLost(Exception):
    """Raised when this process can no longer use the GPU, because a fault ended its context.

    Under MPS any client may have caused the fault. Start a new process.
    """


class DeviceRefused(JudgeError):
    """Raised when the GPU refuses something else, such as more memory than it has left."""


class PrivateBytes(Protocol):
    """Bytes in private memory of the referee, never shared. Dropping it frees the memory for reuse."""

    @property
    def nbytes(self) -> int:
        """The size in bytes."""


class Buffer(Protocol):
    """One array's memory, shared with one sandbox, with guard bands of secret bytes round the payload.

    Every method raises DeviceLost when the GPU is lost.
    """

    @property
    def name(self) -> str:
        """The argument's name."""

    @property
    def size_bytes(self) -> int:
        """Bytes of the payload."""

    @property
    def descriptor(self) -> int:
        """The descriptor to pass to the sandbox. The buffer keeps ownership."""

    @property
    def offset(self) -> int:
        """The offset of the payload in the descriptor's memory, in bytes; a multiple of 4096."""

    @property
    def whole_bytes(self) -> int:
        """Bytes of all the memory behind the descriptor, guard bands and all."""

    def fill(self, contents: PrivateBytes) -> None:
        """Copy `contents`, `size_bytes` of them, into the payload."""

    def poison(self, into: PrivateBytes | None = None, *, dtype: Dtype | None = None) -> PrivateBytes:
        """Fill the payload with fresh poison and return a copy of it, in `into` if given.

        It is random, and for elements of `dtype` never near a right answer, see `judge.runner.poison`.
        """

    def clear(self) -> None:
        """Fill the payload with zeros."""

    def snapshot(self, into: PrivateBytes | None = None) -> PrivateBytes:
        """A private copy of the payload as it is now, in `into` if given."""

    def holds(self, contents: PrivateBytes) -> bool:
        """Whether the payload is `contents` now, byte by byte."""

    def damage(self) -> str | None:
        """Return a message for the author that names the overwritten guard band, or None."""

    def close(self) -> None:
        """Scrub and release the memory; safe to call again, and when the GPU is lost."""


class Memory(Protocol):
    """The referee's memory. The creator of a buffer closes it; close the memory last.

    Everything but `lost` and `close` raises DeviceLost when the GPU is lost.
    """

    @property
    def free_bytes(self) -> int:
        """Return the memory in bytes that is free for buffers."""

    def buffer(self, name: str, size_bytes: int) -> Buffer:
        """New memory for the array `name`. Raises DeviceRefused when there is none left."""

    def host_buffer(self, name: str, size_bytes: int) -> Buffer:
        """New memory for the array `name`, which the sandbox gets in host memory."""

    def open_set(self, drawn: CaseData) -> Mapping[str, PrivateBytes]:
        """The parts of a drawn set by name, without copying; to be read only, until `close_sets` or `close`.

        The set's descriptor stays the caller's and may be closed afterwards.
        """

    def close_sets(self) -> None:
        """Unmap what `open_set` mapped. Its parts may not be used any more."""

    def compare(
        self,
        argument: Argument,
        shape: tuple[int, ...],
        *,
        got: PrivateBytes,
        expected: PrivateBytes,
        poison: PrivateBytes | None,
    ) -> OutputComparison:
        """Compare an output with what is expected, by the rule of `judge.runner.comparison`.

        `got` and `poison` hold elements of the argument's dtype, `expected` float64 for floats and the
        argument's dtype otherwise. `poison` is None where nothing was poisoned.
        """

    def to_host(self, contents: PrivateBytes) -> npt.NDArray[np.uint8]:
        """`contents` of this memory as an array on the host, which may share its memory. Waits for it."""

    def synchronize(self) -> None:
        """Wait until all that was asked for is done."""

    def lost(self, *, patience_s: float) -> bool:
        """Whether the GPU is lost, or turns out to be within `patience_s`. Never raises DeviceLost.

        It does not wait for what runs on the GPU, so that it can be asked when a kernel hangs there.
        """

    def close(self) -> None:
        """Release everything. Contents of this memory must not be used any more."""
