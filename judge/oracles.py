"""The oracles of one card, kept alive from one draw to the next.

Theory of operation. The first draw of a fresh oracle takes seconds, because CuPy compiles every kernel that a
reference uses; the draws after it take milliseconds. So an oracle that was lent comes back, loaded with its
problem, and is lent again to whoever draws for the same version of that problem. It has seen seeds of that
problem and no submission, so there is nothing that one borrower could leave for the next.

It ends when nobody has wanted it for a while, when there are too many, or when anything went wrong. While it
waits it has a context on the card and no work. Its processes are written down in a directory that all
judges of a host share, so that the clock of one does not take the oracles of another for strangers.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from judge.drawn import DrawnSet
from judge.oracle import Oracle
from problems.schema import Problem
from sandbox.backend import Process

_IDLE_S = 120.0
_MOST_IDLE = 3


class Filler(Protocol):
    """What writes contents into drawn sets. Close it when done."""

    def fill(self, drawn: DrawnSet) -> None:
        """Write contents for a seed that nobody can guess."""

    def close(self) -> None:
        """It is not needed any more."""


@dataclass(slots=True)
class _Kept:
    """An oracle, and the process that it runs in. `cancelled` is its present borrower's."""

    version: str
    process: Process
    files: tuple[Path, ...]
    cancelled: Callable[[], bool]
    oracle: Oracle | None = None
    since_s: float = 0.0

    def asked_to_stop(self) -> bool:
        """Whether its present borrower wants it no more."""
        return self.cancelled()


@dataclass(slots=True)
class _Lent:
    """A borrowed oracle. Goes back when closed, unless something went wrong with it."""

    kept: _Kept
    home: "Oracles"
    sound: bool = True
    closed: bool = False

    def fill(self, drawn: DrawnSet) -> None:
        """See Filler. Raises OracleFailed and JudgementCancelled."""
        assert self.kept.oracle is not None  # noqa: S101 - it was loaded before it was lent
        try:
            self.kept.oracle.fill(drawn)
        except BaseException:
            self.sound = False
            raise

    def close(self) -> None:
        """See Filler."""
        if not self.closed:
            self.closed = True
            self.home.take_back(self.kept, sound=self.sound)


class Oracles:
    """Lends loaded oracles. Safe to share between threads. Close it at the end.

    `start` makes a fresh sandbox of an oracle, and `renew` lets its limits count from now. `directory` is
    where the processes of the oracles are written down; `gpu` says whether they open one.
    """

    def __init__(
        self,
        start: Callable[[], Process],
        renew: Callable[[Process], None],
        *,
        directory: Path,
        gpu: bool,
        idle_s: float = _IDLE_S,
    ) -> None:
        self._start = start
        self._renew = renew
        self._directory = directory
        self._gpu = gpu
        self._idle_s = idle_s
        self._idle: list[_Kept] = []
        self._lock = threading.Lock()
        self._closed = False
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)

    def lend(self, problem: Problem, cancelled: Callable[[], bool]) -> Filler:
        """An oracle of `problem`, kept from before if there is one.

        Raises:
            judge.errors.RunnerUnusable: a fresh one does not come up.
            judge.errors.OracleFailed: the reference does not load.
            judge.errors.JudgementCancelled: `cancelled` became true.
        """
        kept = self._find(problem.version)
        if kept is not None:
            kept.cancelled = cancelled
            self._renew(kept.process)
        else:
            kept = self._load(problem, cancelled)
        return _Lent(kept, self)

    def pids(self) -> tuple[int, ...]:
        """The processes of all oracles of this host on the card, also those that other judges keep."""
        found = []
        for path in self._directory.iterdir():
            if Path("/proc", path.name).exists():
                found.append(int(path.name))
            else:
                path.unlink(missing_ok=True)
        return tuple(found)

    def take_back(self, kept: _Kept, *, sound: bool) -> None:
        """An oracle that was lent is free again."""
        kept.since_s = time.monotonic()
        with self._lock:
            if sound and not self._closed:
                self._idle.append(kept)
                self._watch()
                surplus = self._idle[:-_MOST_IDLE]
                del self._idle[:-_MOST_IDLE]
            else:
                surplus = [kept]
        for old in surplus:
            _end(old)

    def close(self) -> None:
        """End those that wait. One that is lent ends when it comes back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for kept in idle:
            _end(kept)

    def _find(self, version: str) -> _Kept | None:
        with self._lock:
            found = next((kept for kept in self._idle if kept.version == version), None)
            if found is not None:
                self._idle.remove(found)
        if found is None or _alive(found.process):
            return found
        _end(found)
        return None

    def _load(self, problem: Problem, cancelled: Callable[[], bool]) -> _Kept:
        process = self._start()
        files = tuple(self._directory / str(pid) for pid in process.pids)
        for path in files:
            path.touch()
        kept = _Kept(problem.version, process, files, cancelled)
        try:
            kept.oracle = Oracle(problem, process, kept.asked_to_stop, gpu=self._gpu)
        except BaseException:
            process.close()
            _forget(files)
            raise
        return kept

    def _watch(self) -> None:
        timer = threading.Timer(self._idle_s + 1, self._expire)
        timer.daemon = True
        timer.start()

    def _expire(self) -> None:
        oldest_s = time.monotonic() - self._idle_s
        with self._lock:
            expired = [kept for kept in self._idle if kept.since_s < oldest_s]
            self._idle = [kept for kept in self._idle if kept.since_s >= oldest_s]
        for kept in expired:
            _end(kept)


def _alive(process: Process) -> bool:
    try:
        process.wait(0)
    except TimeoutError:
        return True
    return False


def _end(kept: _Kept) -> None:
    if kept.oracle is not None:
        kept.oracle.close()
    _forget(kept.files)


def _forget(files: tuple[Path, ...]) -> None:
    for path in files:
        path.unlink(missing_ok=True)
