"""The interface of the referee's memory, on this host or on a GPU.

Theory of operation. CPUs and GPUs share the code of the referee; only the location of arrays differs. A
`Memory` allocates buffers that are shared with a sandbox, opens the sets that the oracle drew, and compares
outputs. It hides where the bytes are: `PrivateBytes` are bytes in private memory of the referee, and only the
`Memory` that allocated them can read them. `judge.runner.buffers.HostMemory` keeps them in NumPy arrays,
`judge.gpu.device.memory.DeviceMemory` in device memory.

Work on a GPU is queued. Operations of one memory run in the order of the calls, and `synchronize` returns
when they are done. Call it before a sandbox is told to read the memory. Methods that return a result
(`holds`, `damage`, `compare`) synchronise first.
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

    Under MPS, any client may have caused the fault. The caller must start a new process.
    """


class DeviceRefused(JudgeError):
    """Raised if the GPU refuses another operation, such as an allocation that exceeds its free memory."""


class PrivateBytes(Protocol):
    """Bytes in private memory of the referee, never shared. Dropping it frees the memory for reuse."""

    @property
    def nbytes(self) -> int:
        """The size in bytes."""


class Buffer(Protocol):
    """Memory of one array, shared with one sandbox, with guard bands of secret bytes around the payload.

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
        """The bytes of all memory behind the descriptor, including guard bands."""

    def fill(self, contents: PrivateBytes) -> None:
        """Copy `contents`, `size_bytes` of them, into the payload."""

    def poison(self, into: PrivateBytes | None = None, *, dtype: Dtype | None = None) -> PrivateBytes:
        """Fill the payload with new poison and return a copy of the poison, in `into` if given.

        The poison is random, and for elements of `dtype` never near a right answer, see
        `judge.runner.poison`.
        """

    def clear(self) -> None:
        """Fill the payload with zeros."""

    def snapshot(self, into: PrivateBytes | None = None) -> PrivateBytes:
        """Return a private copy of the current payload, in `into` if given."""

    def holds(self, contents: PrivateBytes) -> bool:
        """Return whether the payload currently equals `contents`, byte by byte."""

    def damage(self) -> str | None:
        """Return a message for the author that names the overwritten guard band, or None."""

    def close(self) -> None:
        """Scrub and release the memory; safe to call again, and when the GPU is lost."""


class Memory(Protocol):
    """The referee's memory. The creator of a buffer must close it. The memory must be closed last.

    Everything but `lost` and `close` raises DeviceLost when the GPU is lost.
    """

    @property
    def free_bytes(self) -> int:
        """Return the memory in bytes that is free for buffers."""

    def buffer(self, name: str, size_bytes: int) -> Buffer:
        """Allocate memory for the array `name`. Raises DeviceRefused if there is not enough memory."""

    def host_buffer(self, name: str, size_bytes: int) -> Buffer:
        """Allocate host memory for the array `name`, to share with the sandbox."""

    def open_set(self, drawn: CaseData) -> Mapping[str, PrivateBytes]:
        """Map a drawn set and return its parts by name. They are read-only, and valid until `close_sets`.

        The caller keeps ownership of the set's descriptor and may close it afterwards.
        """

    def close_sets(self) -> None:
        """Unmap the sets of `open_set`. Their parts must not be used any more."""

    def compare(
        self,
        argument: Argument,
        shape: tuple[int, ...],
        *,
        got: PrivateBytes,
        expected: PrivateBytes,
        poison: PrivateBytes | None,
    ) -> OutputComparison:
        """Compare an output with its expected values, by the rule of `judge.runner.comparison`.

        `got` and `poison` hold elements of the argument's dtype, `expected` float64 for floats and the
        argument's dtype otherwise. `poison` is None if the output was not poisoned.
        """

    def to_host(self, contents: PrivateBytes) -> npt.NDArray[np.uint8]:
        """Return `contents` as an array on the host, which may share its memory. Waits for queued work."""

    def synchronize(self) -> None:
        """Wait until all queued work is done."""

    def lost(self, *, patience_s: float) -> bool:
        """Return whether the GPU is lost now or becomes lost within `patience_s`. Never raises DeviceLost.

        Does not wait for work on the GPU, so that it can be called while a kernel hangs.
        """

    def close(self) -> None:
        """Release everything. Contents of this memory must not be used after that."""
