"""Leases of GPUs for threads and processes of one host: shared leases to check, exclusive leases to rank.

Theory of operation. Each GPU has two files in the runtime directory, and every lease opens both. Locks belong
to the open file. So the kernel frees them when their process dies for any reason, and two threads of a
process exclude each other like two processes.

- `UUID.room` is a row of records. A check locks one record of the first `slots`, a rank locks the whole
  file. The text of a record is for operators; only the lock counts.
- `UUID.queue` is the queue. A caller draws a number and locks the byte of this number. The caller with no
  locked byte below its own is at the head of the queue, and only this caller tries to enter the room. So
  entry is first come, first served: a rank or a check waits for current holders and earlier callers, but
  never for later callers. If a waiting caller dies, its lock disappears, and the queue moves on.

A program that uses several GPUs needs exclusive leases of all of them. It draws a number at each GPU in one
step, under the lock of the file `choosing`. So two such callers have the same order in every queue that they
share. Then the caller waits for each GPU in turn and keeps the leases it has. Deadlocks are impossible: the
caller that drew first is first in every queue, and callers that need one GPU wait for nothing while they hold
it. As every queue is first come, first served, a caller only waits for earlier callers.

A third file, `UUID.coming`, has a locked byte for each caller that has chosen this GPU but is not in its
queue yet. A caller chooses and marks its choice in one step, under the lock of the file `choosing`, so of two
concurrent callers the second sees the choice of the first.

The locks are those of `sandbox.gpu.range_locks`, because they can do three things that `flock` cannot: a
shared lease can become exclusive in one step, and is kept if this fails; a lock can be queried without taking
it; and a rank excludes checks even of processes with different numbers of slots.

Callers wait by polling, because a lock that blocks in the kernel could not be cancelled. The files must be on
a local file system and must not be removed while any process uses them. Started programs do not inherit the
descriptors, but a bare `fork` does: do not fork while holding a lease.
"""

import contextlib
import itertools
import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from sandbox.gpu.range_locks import END, count_locks, lock, locked, unlock

_RECORD_BYTES = 256
_MOST_SLOTS = 64
_COUNTER_BYTES = 8
_DRAWING = 0  # this byte of the queue is locked while a caller draws a number
_FIRST_NUMBER = 1
_SHORTEST_POLL_S, _LONGEST_POLL_S = 0.001, 0.008

_T = TypeVar("_T")


class LeaseCancelled(TimeoutError):
    """Raised when the caller cancelled while waiting for a GPU."""


class Share(StrEnum):
    """The purpose of a lease."""

    CHECK = "check"  # with others
    RANK = "rank"  # alone


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a lease. `since` is in epoch seconds; `label` is the holder's description."""

    share: Share
    pid: int
    since: float
    label: str


class Lease:
    """The right to use one or several GPUs until `release` or the end of the process. Created by `Leases`."""

    def __init__(self, share: Share, label: str, places: Sequence[tuple[int, int]]) -> None:
        """`places` are the open files of each GPU: its room and its queue. A check has one GPU."""
        self.label = label
        self._share = share
        self._places = tuple(places)

    @property
    def share(self) -> Share:
        """The current share."""
        return self._share

    def try_promote(self) -> bool:
        """Become exclusive if no other lease is held or awaited. Return whether it did. Never waits.

        If this returns False, the lease stays shared.
        """
        if self._share is Share.RANK:
            return True
        ((room, queue),) = self._places
        if locked(queue, _FIRST_NUMBER, END) or not lock(room, 0, END):
            return False
        self._share = Share.RANK
        _sign(room, 0, self._share, self.label)
        return True

    def release(self) -> None:
        """Release the lease. Can be called more than once."""
        places, self._places = self._places, ()
        for descriptor in itertools.chain(*places):
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class Reservation:
    """A choice of the GPU `uuid` by `Leases.reserve_several`, until `release` or the end of the process."""

    def __init__(self, uuid: str, coming: int) -> None:
        self.uuid = uuid
        self._coming: int | None = coming
        self._lock = threading.Lock()

    def release(self) -> None:
        """Release the reservation. Can be called more than once, from any thread."""
        with self._lock:
            coming, self._coming = self._coming, None
            if coming is not None:
                os.close(coming)


class Leases:
    """The leases of this host's GPUs, stored below `directory`. Thread-safe.

    `slots` is the number of checks that may share a GPU.
    """

    def __init__(self, directory: Path, *, slots: int = 4) -> None:
        if not 1 <= slots <= _MOST_SLOTS:
            raise ValueError(f"a GPU runs 1 to {_MOST_SLOTS} checks at a time, not {slots}")
        self._directory = directory / "leases"
        self.slots = slots
        self._directory.mkdir(parents=True, exist_ok=True)

    def acquire(
        self,
        uuid: str,
        share: Share,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        label: str = "",
        reservation: "Reservation | None" = None,
    ) -> Lease:
        """Wait for a lease of the GPU `uuid`, first come, first served.

        The `reservation` is released when the caller is in the queue.

        Raises:
            LeaseCancelled: `cancelled` became true while waiting. It is called every few milliseconds.
        """
        return self._acquire([uuid], share, cancelled, label, [reservation] if reservation else [])

    def acquire_all(
        self,
        uuids: Sequence[str],
        cancelled: Callable[[], bool] = lambda: False,
        *,
        label: str = "",
        reservations: Sequence["Reservation"] = (),
    ) -> Lease:
        """Wait for an exclusive lease of all GPUs `uuids`.

        The `reservations` are released when the caller is in every queue.

        Raises:
            LeaseCancelled: `cancelled` became true while waiting. It is called every few milliseconds.
        """
        return self._acquire(sorted(set(uuids)), Share.RANK, cancelled, label, reservations)

    def _acquire(
        self,
        uuids: Sequence[str],
        share: Share,
        cancelled: Callable[[], bool],
        label: str,
        reservations: Sequence["Reservation"],
    ) -> Lease:
        with contextlib.ExitStack() as undo:
            places: list[tuple[int, int]] = []
            with self._choosing(cancelled) if len(uuids) > 1 else contextlib.nullcontext():
                for uuid in uuids:
                    room, queue = self._open(uuid, "room"), self._open(uuid, "queue")
                    undo.callback(os.close, queue)
                    undo.callback(os.close, room)
                    places.append((room, queue))
                numbers = [_draw(queue, cancelled) for _, queue in places]
            for reservation in reservations:
                reservation.release()
            for (room, queue), number in zip(places, numbers, strict=True):
                self._enter(room, queue, number, share, cancelled, label)
            for (_, queue), number in zip(places, numbers, strict=True):
                unlock(queue, number)
            undo.pop_all()
        return Lease(share, label, places)

    def _enter(
        self, room: int, queue: int, number: int, share: Share, cancelled: Callable[[], bool], label: str
    ) -> None:
        """Wait in the queue with `number`, then for the room."""
        _poll(lambda: not locked(queue, _FIRST_NUMBER, number), cancelled)
        if share is Share.RANK:
            _poll(lambda: lock(room, 0, END), cancelled)
            record = 0
        else:
            record = _poll(lambda: self._take_slot(room), cancelled) - 1
        _sign(room, record, share, label)

    def reserve_several(
        self,
        groups: Sequence[Sequence[str]],
        share: Share,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        brief: str | None = None,
    ) -> tuple["Reservation", ...]:
        """Choose the group of GPUs on which leases will be available first, at random among equals.

        Leases with the label `brief` last milliseconds, so they only break ties. Other callers take the
        returned reservations into account. The caller must pass them to `acquire` or `acquire_all`, or
        release them.

        Raises:
            LeaseCancelled: `cancelled` became true while others were choosing.
        """
        if not groups:
            raise ValueError("no GPU is available; the fleet page lists quarantined GPUs")
        with self._choosing(cancelled):
            load = {uuid: self._load(uuid, share, brief) for uuid in {u for group in groups for u in group}}
            worst = [max(load[uuid] for uuid in group) for group in groups]
            equals = [group for group, ahead in zip(groups, worst, strict=True) if ahead == min(worst)]
            chosen = random.choice(equals)  # noqa: S311 - spreads load
            return tuple(self._mark(uuid) for uuid in chosen)

    def _mark(self, uuid: str) -> "Reservation":
        coming = self._open(uuid, "coming")
        next(byte for byte in itertools.count() if lock(coming, byte, byte + 1))
        return Reservation(uuid, coming)

    @contextlib.contextmanager
    def _choosing(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Hold the lock for choosing GPUs and for joining several queues in one step."""
        choosing = os.open(self._directory / "choosing", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _poll(lambda: lock(choosing, 0, 1), cancelled)
            yield
        finally:
            os.close(choosing)

    def holders(self, uuid: str) -> tuple[Holder, ...]:
        """Return the current holders of leases, without affecting them."""
        with self._looking(uuid, "room") as room:
            held = locked(room, 0, END)
            if held == (0, END):
                return (_read_signature(room, 0, Share.RANK),)
            if held is None:
                return ()
            return tuple(
                _read_signature(room, record, Share.CHECK)
                for record in range(_MOST_SLOTS)
                if locked(room, *_record(record))
            )

    def waiting(self, uuid: str) -> int:
        """Return the number of callers that wait for a lease."""
        with self._looking(uuid, "queue") as queue:
            return count_locks(queue, _FIRST_NUMBER, END)

    def coming(self, uuid: str) -> int:
        """Return the number of callers that have chosen the GPU but neither hold nor await its lease yet."""
        with self._looking(uuid, "coming") as coming:
            return count_locks(coming, 0, END)

    def _load(self, uuid: str, share: Share, brief: str | None) -> tuple[int, int]:
        """Return how many leases are ahead of a new caller, and how many of them are brief.

        An exclusive lease blocks a check like a full room.
        """
        holders = self.holders(uuid)
        passing = sum(holder.label == brief for holder in holders)
        alone = any(holder.share is Share.RANK for holder in holders)
        inside = self.slots if alone and share is Share.CHECK else len(holders) - passing
        return self.coming(uuid) + self.waiting(uuid) + inside, passing

    def _take_slot(self, room: int) -> int | None:
        """Lock a free record; its number from 1."""
        for record in range(self.slots):
            if lock(room, *_record(record)):
                return record + 1
        return None

    def _open(self, uuid: str, kind: str) -> int:
        return os.open(self._directory / f"{uuid}.{kind}", os.O_RDWR | os.O_CREAT, 0o600)

    @contextlib.contextmanager
    def _looking(self, uuid: str, kind: str) -> Iterator[int]:
        descriptor = self._open(uuid, kind)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _draw(queue: int, cancelled: Callable[[], bool]) -> int:
    """Draw the next number and lock its byte."""
    _poll(lambda: lock(queue, _DRAWING, _DRAWING + 1), cancelled)
    try:
        number = int.from_bytes(os.pread(queue, _COUNTER_BYTES, 0), "little") + _FIRST_NUMBER
        lock(queue, number, number + 1)  # lock first: a number without a lock belongs to a dead caller
        os.pwrite(queue, number.to_bytes(_COUNTER_BYTES, "little"), 0)
    finally:
        unlock(queue, _DRAWING)
    return number


def _poll(attempt: Callable[[], _T | None], cancelled: Callable[[], bool]) -> _T:
    """Poll `attempt` until it returns a true value, and return that."""
    pause_s = _SHORTEST_POLL_S
    while not (result := attempt()):
        if cancelled():
            raise LeaseCancelled("cancelled while waiting for a GPU")
        time.sleep(pause_s)
        pause_s = min(1.5 * pause_s, _LONGEST_POLL_S)
    return result


def _record(number: int) -> tuple[int, int]:
    """Return the first byte and the end of a record of the room."""
    return number * _RECORD_BYTES, (number + 1) * _RECORD_BYTES


def _sign(room: int, record: int, share: Share, label: str) -> None:
    """Write the holder into a locked record, for operators."""
    about = {"share": share, "pid": os.getpid(), "since": time.time(), "label": label[:40]}
    said = json.dumps(about, ensure_ascii=False)
    os.pwrite(room, said.encode()[:_RECORD_BYTES].ljust(_RECORD_BYTES), record * _RECORD_BYTES)


def _read_signature(room: int, record: int, share: Share) -> Holder:
    """Return the holder of a locked record, if the record has been written already."""
    try:
        said = json.loads(os.pread(room, _RECORD_BYTES, record * _RECORD_BYTES))
        return Holder(share, int(said["pid"]), float(said["since"]), str(said["label"]))
    except (ValueError, KeyError, TypeError):
        return Holder(share, 0, 0.0, "")
