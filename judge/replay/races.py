"""Finds the accesses of races in a trace, so that a replay shows where each race happens.

Theory of operation. A finding on a race names two accesses: thread, line, operation and element. A trace has
all accesses of its warps. A race is marked only if accesses in the trace fit in all of that. They must also
touch a common byte in one launch, and two accesses of a block after the same number of barriers. If several
pairs fit, as in a loop, the earliest one is taken. If the warp of one access was left out of the trace, only
the other access is marked.

A finding may come from a later order of the case, or from an earlier case, because functional mode does not
repeat every race in each case. Traces and messages are both untrusted. A mark affects no verdict.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judge.replay.race_findings import NamedRace, Place, RacingAccess, parse_race
from judge.replay.recorded import EventKind, Size, Trace, lane_counts
from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind

_MOST_RACES = 32  # as many findings as functional mode reports
_MOST_WIDTHS = 4  # of the accesses of a line
_WIDEST = 64
_LANES = 32
_KINDS = {
    "reads": (EventKind.READ,),
    "writes": (EventKind.WRITE,),
    "updates": (EventKind.ATOMIC, EventKind.WRITE),  # those of block scope are recorded as writes
}
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TracedRace:
    """A race that happens in a trace.

    `message` is that of the finding. `first` and `second` are the events of the two accesses; one of them is
    None if its warp was left out of the trace.
    """

    message: str
    said: NamedRace
    first: int | None
    second: int | None


def races_in(trace: Trace, diagnostics: Iterable[Diagnostic]) -> tuple[TracedRace, ...]:
    """Return the races among `diagnostics` that happen in the trace."""
    said = {found.message: found for found in diagnostics if found.kind == DiagnosticKind.RACE}
    if not said:
        return ()
    accesses = _LaneAccesses(trace)
    races = (_find(accesses, found) for found in [*said.values()][:_MOST_RACES])
    return tuple(race for race in races if race)


def _find(accesses: "_LaneAccesses", found: Diagnostic) -> TracedRace | None:
    said = parse_race(found)
    if said is None:
        return None
    first, second = (accesses.of(access, said) for access in (said.first, said.second))
    if len(first) and len(second):
        pair = accesses.pair(first, second, in_one_block=said.in_one_block)
        return TracedRace(found.message, said, *pair) if pair else None
    if said.in_one_block:
        return None
    if len(first) and accesses.leaves_out(said.second, said.kernel, first[0]):
        return TracedRace(found.message, said, int(accesses.event[first[0]]), None)
    if len(second) and accesses.leaves_out(said.first, said.kernel, second[0]):
        return TracedRace(found.message, said, None, int(accesses.event[second[0]]))
    return None


class _LaneAccesses:
    """The accesses of single lanes in a trace, as columns in its order. Positions index these columns."""

    def __init__(self, trace: Trace) -> None:
        events = trace.events
        counts = lane_counts(events)
        lanes = np.nonzero(events["mask"][counts > 0][:, None] >> np.arange(_LANES, dtype=np.uint32) & 1)[1]
        self._trace = trace
        self.event = np.repeat(np.arange(len(events)), counts)
        self._launch, self._block, self._epoch, self._line, self._kind, warp, self._bytes = (
            events[name].astype(np.int64)[self.event]
            for name in ("launch", "block", "epoch", "line", "kind", "warp", "bytes")
        )
        self._thread = warp * _LANES + lanes
        self._shared: Flags = events["shared"][self.event] == 1
        self._begin = trace.addresses.astype(np.int64)

    def of(self, access: RacingAccess, said: NamedRace) -> Numbers:
        """Return the positions of the accesses that fit in what is said about one."""
        blocks, threads = self._numbers(access, said.kernel)
        fits = (self._block == blocks[self._launch]) & (self._thread == threads[self._launch])
        fits &= (self._line == access.line) & np.isin(self._kind, _KINDS[access.operation])
        return np.flatnonzero(fits & self._may_touch(said.place))

    def leaves_out(self, access: RacingAccess, kernel: str, position: int) -> bool:
        """Return whether the warp of `access` was left out of the launch that `position` belongs to."""
        if not (self._trace.level or self._trace.shortened):
            return False
        launch = self._launch[position]
        block, thread = (numbers[launch] for numbers in self._numbers(access, kernel))
        if block < 0 or thread < 0:
            return False
        events = self._trace.events
        own = (events["launch"] == launch) & (events["block"] == block)
        return not np.any(own & (events["warp"] == thread // _LANES))

    def pair(self, first: Numbers, second: Numbers, *, in_one_block: bool) -> tuple[int, int] | None:
        """Return the events of the earliest two that share a byte, or None."""
        begin = self._begin + _WIDEST  # keys of different groups stay apart
        group = self._launch << 17 | (self._epoch if in_one_block else 0)
        keys = group << 33 | begin
        found: list[tuple[int, int]] = []
        for width in np.unique(self._bytes[first])[:_MOST_WIDTHS]:
            alike = first[self._bytes[first] == width]
            alike = alike[np.argsort(keys[alike], kind="stable")]
            low = np.searchsorted(keys[alike], keys[second] - width, side="right")
            high = np.searchsorted(keys[alike], keys[second] + self._bytes[second], side="left")
            hits = np.flatnonzero(low < high)
            if len(hits):
                found.append((int(second[hits[0]]), int(alike[low[hits[0]]])))
        if not found:
            return None
        later, earlier = min(found)
        return int(self.event[earlier]), int(self.event[later])

    def _numbers(self, access: RacingAccess, kernel: str) -> tuple[Numbers, Numbers]:
        """Return the numbers of the block and of the thread in each launch, -1 in launches without them."""
        found = [
            (_number(access.block, launch.grid), _number(access.thread, launch.block))
            if launch.kernel == kernel
            else (-1, -1)
            for launch in self._trace.launches
        ]
        numbers = np.array(found, np.int64)
        return numbers[:, 0], numbers[:, 1]

    def _may_touch(self, place: Place) -> Flags:
        end = self._begin + self._bytes
        if place.shared:
            # An array may start anywhere where it fits in.
            sizes = np.array([launch.shared_bytes for launch in self._trace.launches], np.int64)
            spare = 0 if place.fixed else sizes[self._launch] - place.array_bytes
            low = place.index * place.width
            return self._shared & (end > low) & (self._begin < low + place.width + spare)
        touches = np.zeros(len(end), np.bool_)
        for array in self._trace.arrays:
            if (array.name != place.name) or (not place.name and array.bytes != place.array_bytes):
                continue
            width = array.element_bytes or place.width or 1
            low = array.start + place.index * width
            within = (self._begin >= array.start) & (end <= array.start + array.bytes)
            touches |= within & (end > low) & (self._begin < low + width)
        return touches & ~self._shared


def _number(index: Size, size: Size) -> int:
    """Return the number of a block in a grid of `size`, or of a thread in a block, -1 if it has none."""
    if any(at >= extent for at, extent in zip(index, size, strict=True)):
        return -1
    return index[0] + size[0] * (index[1] + size[1] * index[2])
