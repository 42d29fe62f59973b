"""Signs of life of a worker's children, and the claim of each, in memory that the main process can read.

Theory of operation. Each child has a thread that only increments a counter. While the child runs Python code,
the counter grows. If one call blocks the interpreter, such as a regular expression that never ends, no thread
of the child runs, not even its heartbeat, and the counter stops. Counter and claim are in a page of shared
memory that the main process created before it forked its children, so no message can be missed.
`worker.watchdog` reads it.
"""

import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from threading import Event, Thread

_SLOTS = 1024
_LIFE, _HELD = struct.Struct("3q"), struct.Struct("3q")  # written by the counting thread, and by the other
_SLOT_BYTES = _LIFE.size + _HELD.size


class PulseKind(IntEnum):
    """The kind of a child's job, by the queue from which it was claimed."""

    NONE = 0
    SUBMISSIONS = 1
    HIDDEN_RUNS = 2
    PROOFS = 3
    IMPORTS = 4


@dataclass(frozen=True, slots=True)
class Held:
    """A claim: `pk` is that of the claimed row."""

    kind: PulseKind = PulseKind.NONE
    pk: int = 0
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Sign:
    """The last sign of life of a child. `started` distinguishes it from a later process with its id."""

    pid: int
    started: int
    count: int
    held: Held


@dataclass(frozen=True, slots=True)
class Activity:
    """The start time of a process in kernel ticks, and its CPU time."""

    started: int
    used_s: float


class Pulse:
    """A page of signs of life. Create it before the processes that share it are forked."""

    def __init__(self, slots: int = _SLOTS) -> None:
        self._page = mmap.mmap(-1, slots * _SLOT_BYTES)
        self._slots = slots
        self._slot: int | None = None
        self._held = Held()

    def start(self, slot: int, *, every_s: float) -> Event:
        """Count in `slot`, which no other living child has, until the event is set."""
        stop = Event()
        activity = activity_of(os.getpid())
        if slot < self._slots and activity is not None:
            self._slot = slot
            self._say(Held())
            arguments = (slot * _SLOT_BYTES, activity.started, every_s, stop)
            Thread(target=self._count, args=arguments, name="pulse", daemon=True).start()
        return stop

    @contextmanager
    def holding(self, kind: PulseKind, pk: int, attempt: int) -> Iterator[None]:
        """Record that this child holds a claim. If claims are nested, the innermost counts.

        In an import, the import counts: its threads still read the set while the child judges a submission,
        so a hang is more likely theirs.
        """
        before = self._held
        if before.kind is not PulseKind.IMPORTS:
            self._say(Held(kind, pk, attempt))
        try:
            yield
        finally:
            self._say(before)

    def signs(self) -> Iterator[tuple[int, Sign]]:
        """Yield the last signs of all children, also dead ones, by slot. A sign may be torn by a write."""
        for slot in range(self._slots):
            at = slot * _SLOT_BYTES
            pid, started, count = _LIFE.unpack_from(self._page, at)
            if pid:
                kind, pk, attempt = _HELD.unpack_from(self._page, at + _LIFE.size)
                yield slot, Sign(pid, started, count, Held(PulseKind(kind), pk, attempt))

    def _count(self, at: int, started: int, every_s: float, stop: Event) -> None:
        pid, count = os.getpid(), 0
        while not stop.is_set():
            count += 1
            _LIFE.pack_into(self._page, at, pid, started, count)
            stop.wait(every_s)

    def _say(self, held: Held) -> None:
        self._held = held
        if self._slot is not None:
            at = self._slot * _SLOT_BYTES + _LIFE.size
            _HELD.pack_into(self._page, at, held.kind, held.pk, held.attempt)


def activity_of(pid: int) -> Activity | None:
    """Return the kernel's start time and CPU time of a process; None if it does not exist or is dead."""
    try:
        # The name, in parentheses, may contain any character.
        fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
    except OSError:
        return None
    if fields[0] in "ZX":
        return None
    ticks = int(fields[11]) + int(fields[12])
    return Activity(started=int(fields[19]), used_s=ticks / os.sysconf("SC_CLK_TCK"))


pulse = Pulse()
