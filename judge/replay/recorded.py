"""Reads the trace of a call, which functional mode writes into memory of the judge.

Theory of operation. The engine (`sandbox/cpu/runtime/trace.h`) and the submission share a process, so the
submission can write anything into this memory, at any time. So the judge makes one private copy and does not
trust it: it bounds all sizes before reading, checks every field, and drops an inconsistent trace. All of that
takes linear time. No verdict depends on a trace. A trace has addresses and lines, but no values.

The layout is that of `sandbox/cpu/runtime/trace_format.h`.
"""

import fcntl
import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np
import numpy.typing as npt

MOST_ACCESSES = 1 << 16
_MAGIC = 0x31_52_54_57  # "WTR1", little endian
_MOST_LAUNCHES = 64
_MOST_ARRAYS = 256
_MOST_THREADS = 1024  # of a block
_MOST_SHARED = 1 << 20
_WIDEST = 64  # bytes of an access
_MOST_LINES = 1 << 20
_LANES = 32
_NAME_BYTES = 96
_MOST_LEVEL = 80
_HEADER = struct.Struct("<8I")
_LAUNCH = struct.Struct(f"<{_NAME_BYTES}s3I3III")
_ARRAY = struct.Struct(f"<{_NAME_BYTES}s4I")
EVENT = np.dtype(
    [
        ("block", "<u4"),
        ("epoch", "<u4"),
        ("line", "<u4"),
        ("mask", "<u4"),
        ("taken", "<u4"),
        ("launch", "<u2"),
        ("warp", "<u2"),
        ("bytes", "<u2"),
        ("kind", "u1"),
        ("shared", "u1"),
    ]
)
MOST_BYTES = (
    _HEADER.size
    + _MOST_LAUNCHES * _LAUNCH.size
    + _MOST_ARRAYS * _ARRAY.size
    + MOST_ACCESSES * (EVENT.itemsize + 4)
)
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
_ARRAY_KINDS = ("device", "argument", "managed", "pinned", "registered", "variable")
Events = npt.NDArray[np.void]
Addresses = npt.NDArray[np.uint32]
Size = tuple[int, int, int]


class EventKind(IntEnum):
    """The kinds of events of a warp."""

    READ = 0
    WRITE = 1
    ATOMIC = 2
    BARRIER = 3
    BRANCH = 4


@dataclass(frozen=True, slots=True)
class TracedLaunch:
    """A launch of a kernel."""

    kernel: str
    grid: Size
    block: Size
    shared_bytes: int

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]


@dataclass(frozen=True, slots=True)
class TracedArray:
    """An array in global memory: `bytes` from `start` in the address space of the trace.

    `kind` is the origin of the memory. `name` is that of the argument or variable, else empty.
    """

    name: str
    start: int
    bytes: int
    element_bytes: int
    kind: str


@dataclass(frozen=True, slots=True)
class Trace:
    """The recorded trace of a call.

    `events` has rows of `EVENT`, sorted by launch, block and warp, and in the order of each warp. `addresses`
    has one entry for each lane of each access. `level` says how much was left out: how often the number of
    blocks, and then the number of warps of the first block, was halved. `shortened` says that threads or
    launches are incomplete.
    """

    launches: tuple[TracedLaunch, ...]
    arrays: tuple[TracedArray, ...]
    events: Events
    addresses: Addresses
    level: int
    shortened: bool


class TraceMemory:
    """Memory for one trace, shared with a runner. Callers must close it."""

    def __init__(self) -> None:
        self.descriptor = os.memfd_create("warpcourt-trace", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, MOST_BYTES)
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, _SEALS)

    def read(self) -> Trace | None:
        """Return the recorded trace, or None if nothing was recorded or the trace is inconsistent."""
        with mmap.mmap(self.descriptor, MOST_BYTES, prot=mmap.PROT_READ) as memory:
            header = bytes(memory[: _HEADER.size])
            needed = _needed(header)
            return parse_trace(header + memory[_HEADER.size : needed]) if needed else None

    def close(self) -> None:
        """Release the memory."""
        os.close(self.descriptor)


@contextmanager
def trace_memory(*, wanted: bool) -> Iterator[TraceMemory | None]:
    """Yield memory for a trace if it is wanted, else None."""
    if not wanted:
        yield None
        return
    memory = TraceMemory()
    try:
        yield memory
    finally:
        memory.close()


def parse_trace(data: bytes) -> Trace | None:
    """Return the trace in the untrusted `data`, or None if there is none or it is inconsistent."""
    needed = _needed(data[: _HEADER.size])
    if not needed or len(data) != needed:
        return None
    _, launch_count, array_count, event_count, address_count, level, shortened, _ = _HEADER.unpack_from(data)
    at = _HEADER.size
    launches = [_launch(data, at + i * _LAUNCH.size) for i in range(launch_count)]
    at += launch_count * _LAUNCH.size
    arrays = [_array(data, at + i * _ARRAY.size) for i in range(array_count)]
    at += array_count * _ARRAY.size
    events = np.frombuffer(data, EVENT, event_count, at)
    addresses = np.frombuffer(data, "<u4", address_count, at + event_count * EVENT.itemsize)
    known_launches = [launch for launch in launches if launch]
    known_arrays = [array for array in arrays if array]
    if len(known_launches) < launch_count or len(known_arrays) < array_count or level > _MOST_LEVEL:
        return None
    apart = all(one.start + one.bytes <= other.start for one, other in pairwise(known_arrays))
    trace = Trace(tuple(known_launches), tuple(known_arrays), events, addresses, level, bool(shortened))
    return trace if apart and _possible(trace) else None


def lane_counts(events: Events) -> npt.NDArray[np.int64]:
    """Return the number of addresses of each event: one per lane of an access, else 0."""
    return np.where(events["kind"] <= EventKind.ATOMIC, np.bitwise_count(events["mask"]), 0).astype(np.int64)


def _needed(header: bytes) -> int:
    """Return the size in bytes of the trace that `header` declares, 0 if that size is impossible."""
    if len(header) != _HEADER.size:
        return 0
    magic, launches, arrays, events, addresses, *_ = _HEADER.unpack(header)
    if magic != _MAGIC or launches > _MOST_LAUNCHES or arrays > _MOST_ARRAYS:
        return 0
    if not 0 < events <= MOST_ACCESSES or addresses > MOST_ACCESSES:
        return 0
    lists = launches * _LAUNCH.size + arrays * _ARRAY.size
    return int(_HEADER.size + lists + events * EVENT.itemsize + 4 * addresses)


def _launch(data: bytes, at: int) -> TracedLaunch | None:
    kernel, *numbers, shared_bytes, _ = _LAUNCH.unpack_from(data, at)
    launch = TracedLaunch(
        _name(kernel),
        (numbers[0], numbers[1], numbers[2]),
        (numbers[3], numbers[4], numbers[5]),
        shared_bytes,
    )
    fits = (
        0 < launch.blocks < 1 << 32 and 0 < launch.threads <= _MOST_THREADS and shared_bytes <= _MOST_SHARED
    )
    return launch if fits else None


def _array(data: bytes, at: int) -> TracedArray | None:
    name, start, size, element_bytes, kind = _ARRAY.unpack_from(data, at)
    if (
        not 0 < size < 1 << 32
        or start + size >= 1 << 32
        or element_bytes > _WIDEST
        or kind >= len(_ARRAY_KINDS)
    ):
        return None
    return TracedArray(_name(name), start, size, element_bytes, _ARRAY_KINDS[kind])


def _name(raw: bytes) -> str:
    text = raw.partition(b"\0")[0].decode("utf-8", "replace")
    return "".join(character for character in text if character.isprintable())


def _possible(trace: Trace) -> bool:
    events = trace.events
    launches = events["launch"].astype(np.int64)
    if not trace.launches or launches.max() >= len(trace.launches):
        return False
    blocks = np.array([launch.blocks for launch in trace.launches])[launches]
    threads = np.array([launch.threads for launch in trace.launches])[launches]
    access = events["kind"] <= EventKind.ATOMIC
    lanes = np.clip(threads - events["warp"].astype(np.int64) * _LANES, 0, _LANES)
    return bool(
        np.all(events["block"] < blocks)
        and np.all(events["kind"] <= EventKind.BRANCH)
        and np.all(events["shared"] <= 1)
        and np.all(events["line"] <= _MOST_LINES)
        and np.all(events["epoch"] <= MOST_ACCESSES)
        and np.all(events["mask"] != 0)
        and np.all(events["mask"].astype(np.int64) < 1 << lanes)
        and np.all((events["taken"] & ~events["mask"]) == 0)
        and np.all((events["bytes"] > 0) & (events["bytes"] <= _WIDEST) | ~access)
        and lane_counts(events).sum() == len(trace.addresses)
        and _in_order(events)
        and _in_bounds(trace)
    )


def _in_order(events: Events) -> bool:
    place = (
        events["launch"].astype(np.uint64) << 48 | events["block"].astype(np.uint64) << 16 | events["warp"]
    )
    return bool(np.all(place[1:] >= place[:-1]))


def _in_bounds(trace: Trace) -> bool:
    """Return whether each access is within the shared memory of its block or within one array."""
    events = trace.events
    counts = lane_counts(events)
    begin = trace.addresses.astype(np.int64)
    end = begin + np.repeat(events["bytes"].astype(np.int64), counts)
    shared = np.repeat(events["shared"] == 1, counts)
    sizes = np.array([launch.shared_bytes for launch in trace.launches])
    limits = np.repeat(sizes[events["launch"].astype(np.int64)], counts)
    if np.any(end[shared] > limits[shared]):
        return False
    if shared.all():
        return True
    if not trace.arrays:
        return False
    starts = np.array([array.start for array in trace.arrays])
    ends = np.array([array.start + array.bytes for array in trace.arrays])
    holder = np.searchsorted(starts, begin[~shared], side="right") - 1
    return bool(np.all(holder >= 0) and np.all(end[~shared] <= ends[holder]))
