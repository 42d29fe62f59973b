"""Array memory that the referee shares with a sandbox, and what it does to distrust it.

Layout of one memfd: a guard band, the payload, a guard band. Both bands hold random bytes that only
the referee knows, so that a write past either end is seen. The payload of an output is poisoned with
random bytes before every call, so that memory which nobody wrote cannot pass for an answer.
"""

import mmap
import os
import secrets
from typing import Self

import numpy as np
import numpy.typing as npt

GUARD_BYTES = mmap.PAGESIZE
Bytes = npt.NDArray[np.uint8]


class Buffer:
    """One array's memory. The descriptor is shared with one sandbox; the mapping here is ours."""

    def __init__(self, name: str, size_bytes: int) -> None:
        self.name = name
        self.size_bytes = size_bytes
        total = GUARD_BYTES + size_bytes + GUARD_BYTES
        self.descriptor = os.memfd_create(f"warpcourt-{name}", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, total)
        self._map = mmap.mmap(self.descriptor, total)
        self._all: Bytes = np.frombuffer(self._map, dtype=np.uint8)
        self._before = random_bytes(GUARD_BYTES)
        self._after = random_bytes(GUARD_BYTES)
        self._all[:GUARD_BYTES] = self._before
        self._all[GUARD_BYTES + size_bytes :] = self._after

    @property
    def offset(self) -> int:
        """Where the payload starts in the memfd, in bytes."""
        return GUARD_BYTES

    @property
    def payload(self) -> Bytes:
        """The live payload, uint8 [size_bytes]. The sandbox can change it at any time: copy, then look."""
        return self._all[GUARD_BYTES : GUARD_BYTES + self.size_bytes]

    def fill(self, content: Bytes) -> None:
        """Copy `content`, uint8 [size_bytes], into the payload."""
        self.payload[:] = content

    def poison(self) -> Bytes:
        """Fill the payload with fresh random bytes and return a copy of them."""
        content = random_bytes(self.size_bytes)
        self.fill(content)
        return content

    def snapshot(self) -> Bytes:
        """A private copy of the payload as it is now."""
        return self.payload.copy()

    def damage(self) -> str | None:
        """Which guard band was written, as words for the author, or None."""
        if not np.array_equal(self._all[:GUARD_BYTES], self._before):
            return f"memory just before the first element of {self.name} was overwritten"
        if not np.array_equal(self._all[GUARD_BYTES + self.size_bytes :], self._after):
            return f"memory just past the last element of {self.name} was overwritten"
        return None

    def close(self) -> None:
        """Scrub and release the memory. Arrays from `payload` must be gone by then."""
        if self.descriptor < 0:
            return
        self._all[:] = 0
        del self._all
        self._map.close()
        os.close(self.descriptor)
        self.descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def random_bytes(count: int) -> Bytes:
    """`count` unpredictable bytes, uint8 [count], from a generator keyed by the system's CSPRNG."""
    generator = np.random.Generator(np.random.Philox(key=secrets.randbits(128)))
    return np.frombuffer(generator.bytes(count), dtype=np.uint8)
