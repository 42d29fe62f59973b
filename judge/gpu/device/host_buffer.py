"""An array in host memory, for a program on a GPU. The referee keeps its contents on the GPU."""

from typing import TYPE_CHECKING

from judge.gpu.device.buffer import pointer_of
from judge.gpu.device.errors import our_errors
from judge.runner.buffers import Bytes, HostBuffer
from judge.runner.memory import PrivateBytes
from problems.vocabulary import Dtype

if TYPE_CHECKING:
    from judge.gpu.device.memory import DeviceMemory


class MirroredBuffer:
    """Host memory that is shared with the runner. Implements `judge.runner.memory.Buffer`.

    Contents, poison and snapshots are in GPU memory, as for other buffers, so that outputs are compared on
    the GPU. Each operation returns when it is finished.
    """

    def __init__(self, memory: "DeviceMemory", name: str, size_bytes: int) -> None:
        self._memory = memory
        self._shared = HostBuffer(name, size_bytes)
        self.name = name
        self.size_bytes = size_bytes
        self.offset = self._shared.offset
        self.whole_bytes = self._shared.whole_bytes

    @property
    def descriptor(self) -> int:
        """The descriptor to pass to the sandbox. The buffer keeps ownership."""
        return self._shared.descriptor

    def fill(self, contents: PrivateBytes) -> None:
        """Copy `contents` into the payload."""
        self._shared.fill(self._memory.to_host(contents))

    def poison(self, into: PrivateBytes | None = None, *, dtype: Dtype | None = None) -> PrivateBytes:
        """Fill the payload with new poison for elements of `dtype`, and return a copy of the poison."""
        return self._kept(self._shared.poison(dtype=dtype), into)

    def clear(self) -> None:
        """Fill the payload with zeros."""
        self._shared.clear()

    def snapshot(self, into: PrivateBytes | None = None) -> PrivateBytes:
        """Return a private copy of the current payload."""
        return self._kept(self._shared.snapshot(), into)

    def holds(self, contents: PrivateBytes) -> bool:
        """Return whether the payload equals `contents`."""
        return self._shared.holds(self._memory.to_host(contents))

    def damage(self) -> str | None:
        """Return a message for the author that names the overwritten guard band, or None."""
        return self._shared.damage()

    def close(self) -> None:
        """Scrub and release the memory."""
        self._shared.close()

    def _kept(self, contents: Bytes, into: PrivateBytes | None) -> PrivateBytes:
        """Return `contents` on the GPU, in `into` if given."""
        with our_errors():
            kept = self._memory.fresh(self.size_bytes) if into is None else into
            self._memory.upload(pointer_of(kept, self.size_bytes), contents)
            return kept
