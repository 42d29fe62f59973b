"""The stored form of a replay, which the page reads: names and races as JSON, then columns, all gzipped.

    u32 magic "WRP1" · u32 n · n bytes of JSON, padded with spaces to a multiple of four
    the columns of the events in the order of the JSON's `columns`, then the addresses

A column has one u32 for each event: its difference to the event before, modulo 2^32. An address is stored as
the difference to the lane before. The first address of an access is stored as the difference to the first
address of the access before. The four bytes of each number are stored in four planes, lowest first. So
regular accesses make runs of equal bytes, which gzip compresses well. The reader is
`web/frontend/src/replay/format.js`.
"""

import gzip
import json
import struct
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from judge.replay.races import TracedRace
from judge.replay.recorded import EVENT, Addresses, Events, Trace, lane_counts
from judge.sizes import shape_of
from problems.schema import Case, Problem
from problems.vocabulary import Role

MOST_PACKED_BYTES = 300_000
COLUMNS = tuple(EVENT.names or ())
_MAGIC = 0x31_50_52_57  # "WRP1", little endian
_START = struct.Struct("<II")
_LEVEL = 6
_U32 = np.dtype("<u4")


def pack(trace: Trace, problem: Problem, case: Case, races: Sequence[TracedRace] = ()) -> bytes:
    """Return the stored form of a trace of `case` with its `races`; empty if it exceeds MOST_PACKED_BYTES."""
    told = {**_head(trace, problem, case), "races": [_race(race) for race in races]}
    head = json.dumps(told, separators=(",", ":")).encode()
    head = head.ljust(-(-len(head) // 4) * 4)
    columns = [_planes(_differences(trace.events[name].astype(_U32))) for name in COLUMNS]
    columns.append(_planes(_steps(trace.events, trace.addresses)))
    whole = b"".join((_START.pack(_MAGIC, len(head)), head, *columns))
    packed = gzip.compress(whole, _LEVEL, mtime=0)
    return packed if len(packed) <= MOST_PACKED_BYTES else b""


def unpack(packed: bytes) -> tuple[Mapping[str, object], Events, Addresses]:
    """Return the JSON, the events and the addresses in the result of `pack`. For tests and measurements."""
    whole = gzip.decompress(packed)
    magic, length = _START.unpack_from(whole)
    if magic != _MAGIC:
        raise ValueError("not a replay")
    head = json.loads(whole[_START.size : _START.size + length])
    at, count = _START.size + length, head["events"]
    events = np.zeros(count, EVENT)
    for name in COLUMNS:
        events[name] = _sums(_joined(whole[at : at + 4 * count]))
        at += 4 * count
    steps = _joined(whole[at : at + 4 * head["addresses"]])
    firsts, lanes = _firsts(events)
    steps[firsts] = _sums(steps[firsts])
    sums = _sums(steps)
    # Sums restart at the first address of each access.
    return head, events, sums - np.repeat(sums[firsts] - steps[firsts], lanes)


def _head(trace: Trace, problem: Problem, case: Case) -> dict[str, object]:
    shapes = {
        argument.name: (argument.dtype.value, list(shape_of(argument, case.sizes)))
        for argument in problem.arguments
        if argument.role is not Role.SCALAR
    }
    arrays = []
    for array in trace.arrays:
        known = shapes.get(array.name) if array.kind == "argument" else None
        dtype, shape = known or ("", [])
        arrays.append(
            {
                "name": array.name,
                "kind": array.kind,
                "start": array.start,
                "bytes": array.bytes,
                "element": array.element_bytes,
                "dtype": dtype,
                "shape": shape,
            }
        )
    return {
        "case": case.name,
        "launches": [
            {
                "kernel": launch.kernel,
                "grid": launch.grid,
                "block": launch.block,
                "shared": launch.shared_bytes,
            }
            for launch in trace.launches
        ],
        "arrays": arrays,
        "events": len(trace.events),
        "addresses": len(trace.addresses),
        "columns": COLUMNS,
        "level": trace.level,
        "shortened": trace.shortened,
    }


def _race(race: TracedRace) -> dict[str, object]:
    """Return a race with its two accesses. The event of an access is null if it was left out."""
    accesses = ((race.said.first, race.first), (race.said.second, race.second))
    return {
        "message": race.message,
        "place": race.said.place.text,
        "accesses": [
            {
                "event": event,
                "block": access.block,
                "thread": access.thread,
                "line": access.line,
                "operation": access.operation,
            }
            for access, event in accesses
        ],
    }


def _steps(events: Events, addresses: Addresses) -> npt.NDArray[np.uint32]:
    """Return the differences of the addresses."""
    firsts, _ = _firsts(events)
    steps = _differences(addresses.astype(_U32))
    steps[firsts] = _differences(addresses[firsts].astype(_U32))
    return steps


def _firsts(events: Events) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return, for each access, the position of its first address and the number of its addresses."""
    lanes = lane_counts(events)
    lanes = lanes[lanes > 0]
    return np.cumsum(lanes) - lanes, lanes


def _differences(values: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    shifted = np.zeros_like(values)
    shifted[1:] = values[:-1]
    return values - shifted


def _sums(steps: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    return np.cumsum(steps, dtype=np.uint32)


def _planes(values: npt.NDArray[np.uint32]) -> bytes:
    return values.astype(_U32).view(np.uint8).reshape(-1, 4).T.tobytes()


def _joined(planes: bytes) -> npt.NDArray[np.uint32]:
    return np.frombuffer(planes, np.uint8).reshape(4, -1).T.copy().view(_U32).reshape(-1)
