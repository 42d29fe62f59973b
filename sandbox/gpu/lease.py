"""Leases on GPUs among threads and processes of one host: shared to check, exclusive to rank.

Theory of operation. A GPU has two files in the runtime directory, and every lease has both open itself.
Locks belong to the open file, so the kernel frees them when the process that holds them dies, however it
dies, and two threads of a process exclude each other as two processes do.

- `UUID.room` is a row of records. A check locks one record of the first `slots`, a rank locks the whole
  file. The text of a record is for operators; only the lock counts.
- `UUID.queue` is the turnstile. A caller draws a number and locks the byte of that number. The one
  with no locked byte below its own stands at the turnstile, and no other caller tries the room. So entry is
  first come, first served: a rank waits for those inside and those before it, and for no later caller;
  likewise a check. The lock of a waiter who died is gone, and the line closes up.

A program that uses several GPUs needs all of them alone. It draws a number at each of them in one step, under
the lock of the file `choosing`, so that any two such callers stand in the same order at every GPU that they
share. Then it waits at each in turn and keeps what it has got. No two wait for each other: whoever drew
first is first everywhere, and those who need one GPU wait for nothing while they hold it. As every line is
first come, first served, it waits only for those who were there before.

A third file, `UUID.coming`, has a locked byte for each caller that has chosen this GPU and is not in line
for its lease yet. Choosing and marking the choice is one step, under the lock of the file `choosing`: of two
callers that come at once the second sees what the first has chosen.

These are byte-range locks of open file descriptions (`F_OFD_SETLK`) rather than `flock`, for three things
that `flock` cannot do: a shared lease becomes exclusive in one step that loses nothing when it fails, a lock
can be asked about without taking it, and processes that allow different numbers of slots still exclude a
rank.

Waiting is polling: a lock that blocks in the kernel could not be cancelled. Never remove the files while
anything runs, and keep them on a local file system. Descriptors are not inherited by programs that are
started, but they are by a bare `fork`: do not fork while holding a lease.
"""

import contextlib
import errno
import fcntl
import json
import os
import random
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

_FLOCK = "hhqqi0q"  # struct flock: type, whence, start, length, pid
_END = 1 << 62  # of both files, as far as locks go
_RECORD_BYTES = 256
_MOST_SLOTS = 64
_COUNTER_BYTES = 8
_DRAWING = 0  # the byte of the queue that is locked while a number is drawn
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
    """A right to use a GPU, until `release` or the end of the process. Made by `Leases.acquire`."""

    def __init__(self, uuid: str, share: Share, room: int, queue: int, label: str) -> None:
        self.uuid = uuid
        self.label = label
        self._share = share
        self._room = room
        self._queue = queue
        self._released = False

    @property
    def share(self) -> Share:
        """The current share."""
        return self._share

    def try_promote(self) -> bool:
        """Become exclusive if no other lease is held or awaited. Return whether it did. Never waits.

        A shared lease stays shared when this returns False: nothing is lost by trying.
        """
        if self._share is Share.RANK:
            return True
        if _locked(self._queue, _FIRST_NUMBER, _END) or not _lock(self._room, 0, _END):
            return False
        self._share = Share.RANK
        _sign(self._room, 0, self._share, self.label)
        return True

    def release(self) -> None:
        """Give it back. Safe to call more than once."""
        if not self._released:
            self._released = True
            os.close(self._room)
            os.close(self._queue)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class JointLease:
    """A right to use several GPUs alone. Made by `Leases.acquire_all`."""

    share = Share.RANK

    def __init__(self, leases: Sequence[Lease]) -> None:
        self._leases = tuple(leases)

    def try_promote(self) -> bool:
        """Return True: it is exclusive."""
        return True

    def release(self) -> None:
        """Give all of them back. Safe to call more than once."""
        for lease in self._leases:
            lease.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class Reservation:
    """A choice of the GPU `uuid`, until `release` or the end of the process. Made by `Leases.reserve`."""

    def __init__(self, uuid: str, coming: int) -> None:
        self.uuid = uuid
        self._coming: int | None = coming
        self._lock = threading.Lock()

    def release(self) -> None:
        """Others need not count with it any more. Safe to call more than once, from any thread."""
        with self._lock:
            coming, self._coming = self._coming, None
            if coming is not None:
                os.close(coming)


class Leases:
    """The leases of this host's GPUs, kept below `directory`. Safe to share between threads.

    `slots` is how many checks may share a GPU.
    """

    def __init__(self, directory: Path, *, slots: int = 4) -> None:
        if not 1 <= slots <= _MOST_SLOTS:
            raise ValueError(f"a GPU runs 1 to {_MOST_SLOTS} checks at a time, not {slots}")
        self._directory = directory / "leases"
        self._slots = slots
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

        A `reservation` is released once the caller is in line: others see it there.

        Raises:
            LeaseCancelled: `cancelled` became true while waiting; it is asked every few milliseconds.
        """
        with contextlib.ExitStack() as undo:
            room, queue = self._open(uuid, "room"), self._open(uuid, "queue")
            undo.callback(os.close, queue)
            undo.callback(os.close, room)
            number = _draw(queue, cancelled)
            if reservation is not None:
                reservation.release()
            _poll(lambda: not _locked(queue, _FIRST_NUMBER, number), cancelled)
            record = 0
            if share is Share.RANK:
                _poll(lambda: _lock(room, 0, _END), cancelled)
            else:
                record = _poll(lambda: self._take_slot(room), cancelled) - 1
            _sign(room, record, share, label)
            _unlock(queue, number)
            undo.pop_all()
        return Lease(uuid, share, room, queue, label)

    def acquire_all(
        self,
        uuids: Sequence[str],
        cancelled: Callable[[], bool] = lambda: False,
        *,
        label: str = "",
        reservations: Sequence["Reservation"] = (),
    ) -> JointLease:
        """Wait until the GPUs `uuids` can be had alone, all of them.

        The `reservations` are released once the caller is in every line.

        Raises:
            LeaseCancelled: `cancelled` became true while waiting; it is asked every few milliseconds.
        """
        with contextlib.ExitStack() as undo:
            places: list[tuple[str, int, int, int]] = []
            with self._choosing(cancelled):
                for uuid in sorted(set(uuids)):
                    room, queue = self._open(uuid, "room"), self._open(uuid, "queue")
                    undo.callback(os.close, queue)
                    undo.callback(os.close, room)
                    places.append((uuid, room, queue, _draw(queue, cancelled)))
            for reservation in reservations:
                reservation.release()
            for _, room, queue, number in places:
                _poll(lambda: not _locked(queue, _FIRST_NUMBER, number), cancelled)  # noqa: B023 - called at once
                _poll(lambda: _lock(room, 0, _END), cancelled)  # noqa: B023 - as above
                _sign(room, 0, Share.RANK, label)
            for _, _, queue, number in places:
                _unlock(queue, number)
            undo.pop_all()
        return JointLease([Lease(uuid, Share.RANK, room, queue, label) for uuid, room, queue, _ in places])

    def reserve(
        self,
        uuids: Sequence[str],
        share: Share,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        brief: str | None = None,
    ) -> "Reservation":
        """Choose the GPU of `uuids` on which a lease is to be had soonest, any one of equals.

        See `reserve_several`.
        """
        (reservation,) = self.reserve_several([(uuid,) for uuid in uuids], share, cancelled, brief=brief)
        return reservation

    def reserve_several(
        self,
        groups: Sequence[Sequence[str]],
        share: Share,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        brief: str | None = None,
    ) -> tuple["Reservation", ...]:
        """Choose the group of GPUs on all of which leases are to be had soonest, any one of equals.

        Leases with the label `brief` last milliseconds: they only decide between equals. Others count with
        the reservations from now on. Hand them to `acquire` or `acquire_all`, or release them when no lease
        is wanted.

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
        next(byte for byte in count() if _lock(coming, byte, byte + 1))
        return Reservation(uuid, coming)

    @contextlib.contextmanager
    def _choosing(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Hold the lock under which GPUs are chosen, and several lines are joined in one step."""
        choosing = os.open(self._directory / "choosing", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _poll(lambda: _lock(choosing, 0, 1), cancelled)
            yield
        finally:
            os.close(choosing)

    def holders(self, uuid: str) -> tuple[Holder, ...]:
        """Return the current holders of leases, without affecting them."""
        with self._looking(uuid, "room") as room:
            held = _locked(room, 0, _END)
            if held == (0, _END):
                return (_read_signature(room, 0, Share.RANK),)
            if held is None:
                return ()
            return tuple(
                _read_signature(room, record, Share.CHECK)
                for record in range(_MOST_SLOTS)
                if _locked(room, *_record(record))
            )

    def waiting(self, uuid: str) -> int:
        """Return the number of callers that wait for a lease."""
        with self._looking(uuid, "queue") as queue:
            return _count_locks(queue, _FIRST_NUMBER, _END)

    def coming(self, uuid: str) -> int:
        """Return the number of callers that have chosen the GPU and do not hold or await its lease yet."""
        with self._looking(uuid, "coming") as coming:
            return _count_locks(coming, 0, _END)

    def _load(self, uuid: str, share: Share, brief: str | None) -> tuple[int, int]:
        """Return how many leases are ahead of a new caller, and how many of them are brief.

        An exclusive lease blocks a check like a full room.
        """
        holders = self.holders(uuid)
        passing = sum(holder.label == brief for holder in holders)
        alone = any(holder.share is Share.RANK for holder in holders)
        inside = self._slots if alone and share is Share.CHECK else len(holders) - passing
        return self.coming(uuid) + self.waiting(uuid) + inside, passing

    def _take_slot(self, room: int) -> int | None:
        """Lock a free record; its number from 1."""
        for record in range(self._slots):
            if _lock(room, *_record(record)):
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
    _poll(lambda: _lock(queue, _DRAWING, _DRAWING + 1), cancelled)
    try:
        number = int.from_bytes(os.pread(queue, _COUNTER_BYTES, 0), "little") + _FIRST_NUMBER
        _lock(queue, number, number + 1)  # first the lock: a number without one is that of a dead waiter
        os.pwrite(queue, number.to_bytes(_COUNTER_BYTES, "little"), 0)
    finally:
        _unlock(queue, _DRAWING)
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


def _lock(descriptor: int, start: int, end: int) -> bool:
    """Lock a range if it is free of others' locks; this open file's own lock in it grows."""
    try:
        _command(descriptor, fcntl.F_OFD_SETLK, fcntl.F_WRLCK, start, end)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def _unlock(descriptor: int, byte: int) -> None:
    _command(descriptor, fcntl.F_OFD_SETLK, fcntl.F_UNLCK, byte, byte + 1)


def _locked(descriptor: int, start: int, end: int) -> tuple[int, int] | None:
    """Start and end of a lock that others have in a range, whichever; None when it is free of them."""
    if start >= end:
        return None  # a length of 0 would mean all the rest
    kind, _, found, length, _ = _command(descriptor, fcntl.F_OFD_GETLK, fcntl.F_WRLCK, start, end)
    return None if kind == fcntl.F_UNLCK else (found, found + length)


def _count_locks(descriptor: int, start: int, end: int) -> int:
    """Return how many one-byte locks other holders have in a range."""
    found = _locked(descriptor, start, end)
    if found is None:
        return 0
    return _count_locks(descriptor, start, found[0]) + 1 + _count_locks(descriptor, found[1], end)


def _command(descriptor: int, command: int, kind: int, start: int, end: int) -> tuple[int, ...]:
    asked = struct.pack(_FLOCK, kind, os.SEEK_SET, start, end - start, 0)
    return struct.unpack(_FLOCK, fcntl.fcntl(descriptor, command, asked))


def _sign(room: int, record: int, share: Share, label: str) -> None:
    """Say in a locked record who holds it, for people."""
    about = {"share": share, "pid": os.getpid(), "since": time.time(), "label": label[:40]}
    said = json.dumps(about, ensure_ascii=False)
    os.pwrite(room, said.encode()[:_RECORD_BYTES].ljust(_RECORD_BYTES), record * _RECORD_BYTES)


def _read_signature(room: int, record: int, share: Share) -> Holder:
    """The holder of a locked record, as far as it has signed already."""
    try:
        said = json.loads(os.pread(room, _RECORD_BYTES, record * _RECORD_BYTES))
        return Holder(share, int(said["pid"]), float(said["since"]), str(said["label"]))
    except (ValueError, KeyError, TypeError):
        return Holder(share, 0, 0.0, "")
