"""Traces for tests: their requests one by one, the costs of these, and traces of invented kernels."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from judge.evidence.sums import Sums
from judge.replay.recorded import EVENT, EventKind, Trace, lane_counts

_LANES = 32
_SECTOR_BYTES = 32
_BANKS = 32


@dataclass(frozen=True)
class Request:
    """One event, with the participating lanes."""

    launch: int
    block: int
    warp: int
    epoch: int
    line: int
    kind: EventKind
    shared: bool
    bytes: int
    lanes: tuple[int, ...]
    taken: tuple[int, ...]  # of a branch
    addresses: tuple[int, ...]


def requests_of(trace: Trace) -> Iterator[Request]:
    """Yield the events of a trace."""
    at = 0
    for event, count in zip(trace.events, lane_counts(trace.events), strict=True):
        addresses = tuple(int(address) for address in trace.addresses[at : at + count])
        at += int(count)
        yield Request(
            int(event["launch"]),
            int(event["block"]),
            int(event["warp"]),
            int(event["epoch"]),
            int(event["line"]),
            EventKind(int(event["kind"])),
            bool(event["shared"]),
            int(event["bytes"]),
            _lanes_of(int(event["mask"])),
            _lanes_of(int(event["taken"])),
            addresses,
        )


def _lanes_of(mask: int) -> tuple[int, ...]:
    return tuple(lane for lane in range(_LANES) if mask >> lane & 1)


def sectors(request: Request) -> int:
    """Return the number of sectors that a request to global memory moves, computed byte by byte."""
    touched = {
        (address + byte) // _SECTOR_BYTES for address in request.addresses for byte in range(request.bytes)
    }
    return len(touched)


def wavefronts(request: Request) -> int:
    """Return the number of wavefronts of a request to shared memory, computed word by word."""
    at_a_time = _LANES // max(1, request.bytes // 4)
    total = 0
    for first in range(0, _LANES, at_a_time):
        banks: dict[int, set[int]] = {}
        for lane, address in zip(request.lanes, request.addresses, strict=True):
            if first <= lane < first + at_a_time:
                for byte in range(request.bytes):
                    word = (address + byte) // 4
                    banks.setdefault(word % _BANKS, set()).add(word)
        total += max(map(len, banks.values()), default=0)
    return total


def brute_force(trace: Trace) -> tuple[int, ...]:
    """Count requests and costs from the trace: loads, stores, shared memory, atomic operations, branches."""
    groups: dict[str, list[int]] = {"load": [], "store": [], "shared": [], "atomic": [], "branch": []}
    for request in requests_of(trace):
        if request.kind is EventKind.ATOMIC:
            groups["atomic"].append(max(map(request.addresses.count, request.addresses)))
        elif request.kind is EventKind.BRANCH:
            groups["branch"].append(int(0 < len(request.taken) < len(request.lanes)))
        elif request.kind is not EventKind.BARRIER and request.shared:
            groups["shared"].append(wavefronts(request))
        elif request.kind is EventKind.READ:
            groups["load"].append(sectors(request))
        elif request.kind is EventKind.WRITE:
            groups["store"].append(sectors(request))
    return tuple(figure for group in groups.values() for figure in (len(group), sum(group)))


def engine_counts(sums: Sums) -> tuple[int, ...]:
    """Return the same counts from the engine."""
    groups = (sums.global_load, sums.global_store, sums.shared, sums.atomic, sums.branch)
    return tuple(figure for group in groups for figure in (group.requests, group.units))


def raw_trace(
    events: Sequence[tuple[int, ...]],
    addresses: Sequence[int],
    *,
    launches: Sequence[bytes] | None = None,
    arrays: Sequence[bytes] | None = None,
    level: int = 0,
) -> bytes:
    """Return a trace as the engine writes it. `events` are rows in the order of `EVENT`."""
    launches = [launch()] if launches is None else launches
    arrays = [array()] if arrays is None else arrays
    counts = (len(launches), len(arrays), len(events), len(addresses))
    rows = np.array(list(events), EVENT).tobytes()
    head = struct.pack("<8I", 0x31_52_54_57, *counts, level, 0, 0)
    return head + b"".join(launches) + b"".join(arrays) + rows + np.array(addresses, "<u4").tobytes()


def launch(
    kernel: bytes = b"add",
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (64, 1, 1),
    shared: int = 128,
) -> bytes:
    """A launch as the engine writes it."""
    return struct.pack("<96s8I", kernel, *grid, *block, shared, 0)


def array(name: bytes = b"x", start: int = 256, size: int = 1024, element: int = 4, kind: int = 1) -> bytes:
    """An array as the engine writes it."""
    return struct.pack("<96s4I", name, start, size, element, kind)
