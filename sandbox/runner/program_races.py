"""Finds data races between the programs of a Triton grid, which the interpreter runs one after the other.

Theory of operation. Each store and the start of each program get a number. The *shadow* of a tensor holds,
for each element, the number of the last store and the value before the launch. So one comparison per
element shows whether another program of the same launch stored the element that a load reads. Numbers only
increase, so a new launch can reuse the shadows.

Such a load races unless two conditions hold: after the store, the writer executed an atomic operation with
release semantics, and before the load, the reader executed one with acquire semantics. The two operations
need not use the same address.

Loads that are volatile, or that bypass the cache of a multiprocessor, are intended to see the stores of other
programs, so they are never reported. With `stale`, the first such load of an address gets the old value, and
a program that waits looks again. After one that sees an atomic operation, or the same address again, no load
of the program races.

With `stale`, a racing load gets the value from before the launch, as if all programs ran at the same time. So
a program that loads, adds and stores without an atomic operation computes a wrong output. A harmless race
changes nothing.
"""

import bisect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST_SHADOWED_BYTES = 64 << 20  # a launch that stores to a larger tensor is not watched from then on
_PATIENCE = 100  # stale loads of one program; then it gets new values, because it may wait for one
_Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Region:
    """The bytes of a tensor's storage, the size of an element, and what the kernel calls the tensor."""

    name: str
    start: int
    end: int
    origin: int
    size: int


@dataclass(frozen=True, slots=True)
class Race:
    """A load of an element that another program of the launch wrote."""

    address: int
    writer: tuple[int, ...]
    writer_line: int | None


class _Shadow:
    def __init__(self, elements: int, size: int) -> None:
        self.stores = np.zeros(elements, np.int64)  # by element: the number of the last store
        self.before = np.zeros(elements, f"u{size}")  # by element: its value before the launch that stored it
        self.launch = 0  # the last launch that stored


class ProgramRaces:
    """The stores of the current launch. Call its methods in the order in which the interpreter runs."""

    def __init__(self, read: Callable[[_Array, Any], _Array]) -> None:
        """`read` takes addresses and a type, and returns the values in memory."""
        self._read = read
        self._watched = self._stale = self._tracking = False
        self._shadows: dict[tuple[int, int, int], _Shadow] = {}
        self._shadowed_bytes = 0
        self._number = self._launch = self._program = 1
        self._starts: list[int] = []  # of the programs of this launch
        self._released: list[int] = []  # by program: stores up to this number
        self._places: list[tuple[int, ...]] = []  # of the programs in the grid
        self._lines: list[int | None] = []  # of the numbers of this launch
        self._acquired = self._acquired_all = False
        self._patience = 0
        self._polled: set[int] = set()  # addresses that a volatile load of this program has read once
        self._blinded: set[tuple[int, int]] = set()  # storages that this launch writes with several sizes

    @property
    def watching(self) -> bool:
        """Whether accesses of the current launch are compared."""
        return self._tracking

    def start_call(self, *, watched: bool, stale: bool) -> None:
        """Start a call. `watched` says whether to look for races. For `stale`, see above."""
        self._watched, self._stale, self._tracking = watched, stale, False
        self._shadows.clear()
        self._shadowed_bytes = 0

    def start_launch(self) -> None:
        """Forget the stores of earlier launches."""
        self._tracking = self._watched
        if self._shadowed_bytes > _MOST_SHADOWED_BYTES:
            self._shadows.clear()
            self._shadowed_bytes = 0
        self._launch = self._number + 1
        self._starts, self._released, self._places, self._lines = [], [], [], []
        self._blinded.clear()

    def start_program(self, place: tuple[int, ...]) -> None:
        """Start the program at `place` in the grid."""
        if not self._tracking:
            return
        self._program = self._next(None)
        self._starts.append(self._program)
        self._released.append(0)
        self._places.append(place)
        self._acquired = self._acquired_all = False
        self._patience = _PATIENCE
        self._polled.clear()

    def synchronise(self, *, acquires: bool, releases: bool) -> None:
        """Note an atomic operation of the current program."""
        self._acquired |= acquires
        if releases and self._released:
            self._released[-1] = self._number

    def store(self, region: Region | None, addresses: _Array, size: int, line: int | None) -> None:
        """Note a store before it happens. If `region` is None, stop watching this launch."""
        shadow = self._shadow(region, size)
        if region is None or shadow is None:
            self._blind(region)
            return
        at = _elements(region, addresses)
        first = shadow.stores[at] < self._launch
        if first.any():
            shadow.before[at[first]] = self._read(addresses[first], shadow.before.dtype)
        shadow.stores[at] = self._next(line)
        shadow.launch = self._launch

    def update(self, region: Region | None, addresses: _Array) -> None:
        """Note an atomic operation. Loads of the elements that it wrote do not race."""
        if not self._tracking or region is None or not addresses.size:
            return
        if shadow := self._shadow(region, region.size):
            shadow.stores[_elements(region, addresses)] = -self._program
            shadow.launch = self._launch

    def load(
        self, region: Region | None, addresses: _Array, size: int, *, polls: bool = False
    ) -> tuple[Race, _Array, _Array | None] | None:
        """Return the first race of a load, a mask of the racing elements, and their stale values.

        The stale values are None if the load gets the current values. Returns None if nothing races.
        """
        shadow = self._stored_to(region)
        if region is None or shadow is None or size != region.size or self._acquired_all:
            return None
        at = _elements(region, addresses)
        stores = shadow.stores[at]
        if polls and ((stores <= -self._launch) & (stores > -self._program)).any():
            self._acquired_all = True  # sees an atomic operation of another program
            return None
        raced = (stores >= self._launch) & (stores < self._program)
        if self._acquired and raced.any():
            writers = np.searchsorted(self._starts, stores, "right") - 1
            raced &= stores > np.asarray(self._released)[writers]
        if not raced.any():
            return None
        first = int(raced.argmax())
        repeated = int(addresses[first]) in self._polled or not self._stale
        if polls and (self._acquired or repeated):
            self._acquired_all = True
            return None
        if polls:  # what waits will look again
            self._polled.add(int(addresses[first]))
        number = int(stores[first])
        writer = self._places[bisect.bisect_right(self._starts, number) - 1]
        race = Race(int(addresses[first]), writer, self._lines[number - self._launch])
        self._patience -= 1
        stale = self._stale and self._patience >= 0
        return race, raced, shadow.before[at[raced]] if stale else None

    def _blind(self, region: Region | None) -> None:
        if region is None:
            self._tracking = False
        else:
            self._blinded.add((region.start, region.end))

    def _next(self, line: int | None) -> int:
        self._number += 1
        self._lines.append(line)
        return self._number

    def _stored_to(self, region: Region | None) -> _Shadow | None:
        if region is None or not self._tracking or (region.start, region.end) in self._blinded:
            return None
        shadow = self._shadows.get((region.start, region.end, region.size))
        return shadow if shadow is not None and shadow.launch == self._launch else None

    def _shadow(self, region: Region | None, size: int) -> _Shadow | None:
        if region is None or size != region.size:
            return None
        key = (region.start, region.end, size)
        if key not in self._shadows:
            if region.end - region.start > _MOST_SHADOWED_BYTES:
                return None
            self._shadows[key] = _Shadow((region.end - region.start) // size + 1, size)
            self._shadowed_bytes += region.end - region.start
        return self._shadows[key]


def _elements(region: Region, addresses: _Array) -> _Array:
    """Return the indices of the elements at `addresses`, counted from the start of the storage."""
    return (addresses.astype(np.int64) - region.start) // region.size
