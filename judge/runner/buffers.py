"""Host memory that the referee shares with a sandbox, and the checks that guard it.

Layout of one memfd: a guard band, the payload, a guard band. Both bands hold random bytes that only the
referee knows, so that a write past either end is detected. The payload of an output is poisoned before every
call, see `judge.runner.poison`, so that unwritten memory cannot pass as a result. An output that the problem
declares `zeroed` is cleared instead. The size is sealed, because if a sandbox could shrink the file, the
referee would be killed by SIGBUS.
"""

import fcntl
import mmap
import os
import secrets
from collections.abc import Mapping
from typing import Self

import numpy as np
import numpy.typing as npt
from numpy.random import Generator, Philox

from judge.drawn import CaseData
from judge.dtypes import expected_dtype, storage
from judge.runner.comparison import OutputComparison, compare
from judge.runner.memory import PrivateBytes
from judge.runner.poison import BENDS, STRAIGHT, bent
from problems.schema import Argument, Tolerance
from problems.vocabulary import Dtype

GUARD_BYTES = mmap.PAGESIZE
Bytes = npt.NDArray[np.uint8]
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


class HostBuffer:
    """Memory of one array, a `judge.runner.memory.Buffer`. The descriptor is shared, the mapping private."""

    def __init__(self, name: str, size_bytes: int) -> None:
        self.name = name
        self.size_bytes = size_bytes
        self.offset = GUARD_BYTES
        self.whole_bytes = total = GUARD_BYTES + size_bytes + GUARD_BYTES
        self.descriptor = os.memfd_create(f"warpcourt-{name}", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, total)
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, _SEALS)
        self._map = mmap.mmap(self.descriptor, total)
        self._all: Bytes = np.frombuffer(self._map, dtype=np.uint8)
        self._before = random_bytes(GUARD_BYTES)
        self._after = random_bytes(GUARD_BYTES)
        self._all[:GUARD_BYTES] = self._before
        self._all[GUARD_BYTES + size_bytes :] = self._after

    @property
    def payload(self) -> Bytes:
        """The live payload, uint8 [size_bytes].

        The sandbox can change it at any time: copy before checking.
        """
        return self._all[GUARD_BYTES : GUARD_BYTES + self.size_bytes]

    def fill(self, contents: PrivateBytes) -> None:
        """Copy `contents`, uint8 [size_bytes], into the payload."""
        self.payload[:] = _bytes(contents)

    def poison(self, into: PrivateBytes | None = None, *, dtype: Dtype | None = None) -> Bytes:
        """Fill the payload with new poison for elements of `dtype`, and return a copy of the poison."""
        kept = np.empty(self.size_bytes, np.uint8) if into is None else into
        random = _kept(bent(random_bytes(self.size_bytes), BENDS[dtype] if dtype else STRAIGHT), kept)
        self.fill(random)
        return random

    def clear(self) -> None:
        """Fill the payload with zeros."""
        self.payload[:] = 0

    def snapshot(self, into: PrivateBytes | None = None) -> Bytes:
        """Return a private copy of the current payload."""
        return self.payload.copy() if into is None else _kept(self.payload, into)

    def holds(self, contents: PrivateBytes) -> bool:
        """Return whether the payload currently equals `contents`."""
        return np.array_equal(self.payload, _bytes(contents))

    def damage(self) -> str | None:
        """Return a message for the author that names the overwritten guard band, or None."""
        if not np.array_equal(self._all[:GUARD_BYTES], self._before):
            return f"memory just before the first element of {self.name} was overwritten"
        if not np.array_equal(self._all[GUARD_BYTES + self.size_bytes :], self._after):
            return f"memory just past the last element of {self.name} was overwritten"
        return None

    def close(self) -> None:
        """Scrub and release the memory. Arrays from `payload` must no longer exist."""
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


class HostMemory:
    """Implements `judge.runner.memory.Memory` on this host. Contents are uint8 arrays. No work is queued."""

    @property
    def free_bytes(self) -> int:
        """Return the free host memory in bytes."""
        return os.sysconf("SC_AVPHYS_PAGES") * mmap.PAGESIZE

    def buffer(self, name: str, size_bytes: int) -> HostBuffer:
        """Allocate memory for the array `name`."""
        return HostBuffer(name, size_bytes)

    host_buffer = buffer

    def open_set(self, drawn: CaseData) -> Mapping[str, Bytes]:
        """Map a drawn set read-only and return its parts by name. The mapping lives as long as its parts."""
        if not drawn.size_bytes:
            return {part.name: np.empty(0, np.uint8) for part in drawn.parts}
        whole = np.frombuffer(
            mmap.mmap(drawn.descriptor, drawn.size_bytes, prot=mmap.PROT_READ), dtype=np.uint8
        )
        return {part.name: whole[part.offset : part.offset + part.size_bytes] for part in drawn.parts}

    def close_sets(self) -> None:
        """Do nothing: a set is unmapped with its last part."""

    def compare(
        self,
        argument: Argument,
        shape: tuple[int, ...],
        *,
        got: PrivateBytes,
        expected: PrivateBytes,
        poison: PrivateBytes | None,
    ) -> OutputComparison:
        """Compare an output with its expected values."""
        dtype = storage(argument.dtype)
        return compare(
            argument.name,
            dtype=argument.dtype,
            got=_bytes(got).view(dtype).reshape(shape),
            expected=_bytes(expected).view(storage(expected_dtype(argument.dtype))).reshape(shape),
            poison=None if poison is None else _bytes(poison).view(dtype).reshape(shape),
            tolerance=argument.tolerance or Tolerance(),
        )

    def to_host(self, contents: PrivateBytes) -> Bytes:
        """Return `contents`, which are on the host."""
        return _bytes(contents)

    def synchronize(self) -> None:
        """Do nothing: host memory has no queued work."""

    def lost(self, *, patience_s: float) -> bool:  # noqa: ARG002 - for a GPU
        """Return False: a host cannot be lost."""
        return False

    def rest(self) -> None:
        """Do nothing: this memory keeps nothing."""

    close = rest


def random_bytes(count: int) -> Bytes:
    """Return unpredictable bytes, uint8 [count], from a generator keyed by the system's CSPRNG."""
    generator = Generator(Philox(key=secrets.randbits(128)))
    return np.frombuffer(generator.bytes(count), dtype=np.uint8)


def _bytes(contents: PrivateBytes) -> Bytes:
    if not isinstance(contents, np.ndarray):
        raise TypeError(f"these contents have the wrong type for this buffer: {type(contents).__name__}")
    return contents


def _kept(fresh: Bytes, into: PrivateBytes | None) -> Bytes:
    if into is None:
        return fresh
    kept = _bytes(into)
    kept[:] = fresh
    return kept
