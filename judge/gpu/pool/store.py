"""The stock of a GPU's secret pool and its rotation, without process and socket.

Theory of operation. A client reserves a set, which allocates its memory. An oracle fills the set through its
descriptor. Then the client commits the set, and the secret pool can issue it. A request for sets of a case
gets unused sets first, and used sets only if there are no others, so a submission cannot know whether it will
meet the same contents again. After `max_uses` uses, or some time after the first use, a set is retired: the
secret pool forgets it, and the memory is freed when the last referee that reads it has closed it.

The memory is bounded. If it runs short, sets that were made in advance are evicted, beginning with the least
recently requested case. A set that a client waits for is always made, whatever its size, and retired at once
if it does not fit.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol


class HeldMemory(Protocol):
    """Memory of one set, owned by the store."""

    def export(self) -> int:
        """Return a descriptor of the memory. The caller must close it."""

    def close(self) -> None:
        """Release the memory in this process. Other processes that have it open keep it."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """Limits of the use of sets.

    `max_uses` bounds the number of judgements that use a set. `max_age_s` bounds the time after the first
    use. Unused sets do not age.
    """

    budget_bytes: int
    max_uses: int = 32
    max_age_s: float = 900.0


@dataclass(slots=True)
class PoolEntry:
    """A set and its number. `owner` is the client that reserved it, until it is committed."""

    number: int
    key: str
    size_bytes: int
    held: HeldMemory
    made_s: float
    owner: object | None
    uses: int = 0
    first_s: float = 0.0  # time of the first use

    def use(self, now_s: float) -> None:
        """Count one more use."""
        if not self.uses:
            self.first_s = now_s
        self.uses += 1


@dataclass(slots=True)
class _CaseBucket:
    """The sets of one case."""

    entries: list[PoolEntry] = field(default_factory=list)
    wanted_s: float = 0.0
    coming: int = 0  # reserved, not yet committed

    @property
    def fresh(self) -> int:
        """The number of unused sets, including those being filled."""
        return self.coming + sum(entry.uses == 0 for entry in self.entries)


@dataclass(slots=True)
class PoolCounts:
    """Counters since the start of the process."""

    handed_out_fresh: int = 0
    handed_out_again: int = 0
    missing: int = 0
    retired: int = 0
    evicted: int = 0


class Store:
    """The sets of one GPU. `allocate` takes a size in bytes and may raise MemoryError."""

    def __init__(
        self,
        allocate: Callable[[int], HeldMemory],
        rotation: Rotation,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._allocate = allocate
        self._rotation = rotation
        self._clock = clock
        self._shelves: dict[str, _CaseBucket] = {}
        self._reserved: dict[int, PoolEntry] = {}
        self._next = 1
        self.counts = PoolCounts()

    @property
    def size_bytes(self) -> int:
        """The bytes of all sets."""
        return sum(entry.size_bytes for entry in self._all())

    @property
    def sets(self) -> int:
        """The number of sets that can be issued."""
        return sum(len(shelf.entries) for shelf in self._shelves.values())

    def take(self, key: str, count: int, *, keep: int, once: bool = False) -> tuple[list[PoolEntry], int]:
        """Return up to `count` sets of the case `key`, and how many to make so that `keep` sets are unused.

        With `once`, this is their only use: the next `retire_used` retires them.

        The store keeps ownership of the sets. Callers must export them before the next call.
        """
        self._expire()
        shelf = self._shelves.setdefault(key, _CaseBucket())
        shelf.wanted_s = self._clock()
        shelf.entries.sort(key=lambda entry: (entry.uses, entry.made_s))
        taken = shelf.entries[:count]
        for entry in taken:
            if entry.uses:
                self.counts.handed_out_again += 1
            else:
                self.counts.handed_out_fresh += 1
            entry.use(shelf.wanted_s)
            if once:
                entry.uses = self._rotation.max_uses
        self.counts.missing += count - len(taken)
        return taken, keep - shelf.fresh if 2 * shelf.fresh < keep else 0

    def look(self, key: str) -> Mapping[str, int]:
        """Return how many sets of the case `key` are in stock, are unused, and are being filled."""
        shelf = self._shelves.get(key, _CaseBucket())
        return {"sets": len(shelf.entries), "fresh": shelf.fresh, "coming": shelf.coming}

    def reserve(self, key: str, size_bytes: int, owner: object, *, keep: int = 0) -> PoolEntry | None:
        """Allocate memory for a set of the case `key`.

        With `keep`, the set is for stock. Then the result is None if `keep` unused sets exist or are being
        filled, or if the set does not fit the budget.

        Raises:
            MemoryError: there is not enough memory, even after evicting all other sets.
        """
        shelf = self._shelves.setdefault(key, _CaseBucket())
        fits = self._make_room(size_bytes, but=key if keep else None)
        if keep and not (fits and shelf.fresh < keep):
            return None
        held = self._allocate_or_evict(size_bytes)
        entry = PoolEntry(self._next, key, size_bytes, held, self._clock(), owner)
        self._next += 1
        self._reserved[entry.number] = entry
        shelf.coming += 1
        return entry

    def commit(self, number: int, owner: object, *, used: bool) -> None:
        """Make a filled set available. With `used`, its owner's use counts. Unknown numbers are ignored."""
        entry = self._reserved.get(number)
        if entry is None or entry.owner is not owner:
            return
        self._forget_reservation(entry)
        entry.owner = None
        if used:
            entry.use(self._clock())
        shelf = self._shelves[entry.key]
        shelf.entries.append(entry)
        if entry.size_bytes > self._rotation.budget_bytes:
            self._retire(shelf, entry)

    def drop(self, number: int, owner: object) -> None:
        """Forget a reserved set that its owner does not fill or share. Unknown numbers are ignored."""
        entry = self._reserved.get(number)
        if entry is not None and entry.owner is owner:
            self._forget_reservation(entry)
            entry.held.close()

    def abandon(self, owner: object) -> None:
        """Release the reservations of `owner`, which has disconnected."""
        for entry in [entry for entry in self._reserved.values() if entry.owner is owner]:
            self.drop(entry.number, owner)

    def retire_used(self) -> None:
        """Retire sets that have reached their number of uses. Call this after exporting their descriptors."""
        for shelf in self._shelves.values():
            for entry in [entry for entry in shelf.entries if entry.uses >= self._rotation.max_uses]:
                self._retire(shelf, entry)

    def close(self) -> None:
        """Release all sets."""
        for entry in list(self._all()):
            entry.held.close()
        self._shelves.clear()
        self._reserved.clear()

    def _all(self) -> Iterator[PoolEntry]:
        yield from self._reserved.values()
        for shelf in self._shelves.values():
            yield from shelf.entries

    def _forget_reservation(self, entry: PoolEntry) -> None:
        del self._reserved[entry.number]
        self._shelves[entry.key].coming -= 1

    def _expire(self) -> None:
        oldest_s = self._clock() - self._rotation.max_age_s
        for shelf in self._shelves.values():
            for entry in [entry for entry in shelf.entries if entry.uses and entry.first_s < oldest_s]:
                self._retire(shelf, entry)

    def _retire(self, shelf: _CaseBucket, entry: PoolEntry) -> None:
        shelf.entries.remove(entry)
        entry.held.close()
        self.counts.retired += 1

    def _make_room(self, size_bytes: int, *, but: str | None) -> bool:
        """Evict sets until `size_bytes` more fit the budget, but none of the case `but`.

        Returns whether they fit.
        """
        if size_bytes > self._rotation.budget_bytes:
            return False  # evict nothing for a set that is retired at once
        while self.size_bytes + size_bytes > self._rotation.budget_bytes:
            if not self._evict(but=but):
                return False
        return True

    def _allocate_or_evict(self, size_bytes: int) -> HeldMemory:
        while True:
            try:
                return self._allocate(size_bytes)
            except MemoryError:
                if not self._evict(but=None):
                    raise

    def _evict(self, *, but: str | None) -> bool:
        """Evict the most used set of the least recently requested case. Returns False if there is none."""
        shelves = [(key, shelf) for key, shelf in self._shelves.items() if shelf.entries and key != but]
        if not shelves:
            return False
        _, shelf = min(shelves, key=lambda pair: pair[1].wanted_s)
        entry = max(shelf.entries, key=lambda entry: entry.uses)
        shelf.entries.remove(entry)
        entry.held.close()
        self.counts.evicted += 1
        return True
