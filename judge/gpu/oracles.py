"""The oracles of one card, kept alive between draws.

Theory of operation. The first draw of a new oracle takes seconds, because CuPy compiles every kernel that a
reference uses. Later draws take milliseconds. So a borrower returns its oracle, which keeps its problem
loaded and is lent again for the same version of this problem. The oracle has only seen seeds of this problem
and no submission, so one borrower cannot leave anything for the next. If the oracle is lent out, a borrower
waits for a limited time, because compiling everything again takes longer. For the same reason, a cancelled
borrower lets its draw finish.

The sandbox of an oracle starts without a share of the card (`prepare`), for which a borrower may still be
waiting. The oracle opens the card when it is first lent. An oracle is ended after it was idle for a while, if
there are too many, or after any error. A kept oracle may have lost its context, so a draw that fails in it is
retried in a new oracle before the problem is blamed. An idle oracle has a context on the card, but no work.
The process ids of oracles are recorded in a directory that all judges of a host share, so that the clock of
one judge recognises the oracles of another.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from judge.drawn import CaseData
from judge.errors import JudgementCancelled, OracleFailed
from judge.oracle import Oracle
from problems.schema import Problem
from sandbox.backend import Process

_IDLE_S = 120.0
_MOST_IDLE = 3
_PATIENCE_S = 10.0  # to wait for an oracle that is lent out
_POLL_S = 0.005


class Filler(Protocol):
    """Writes contents into drawn sets. Close it after use."""

    def fill(self, drawn: CaseData, seed: int | None = None) -> None:
        """Write the contents for `seed`, by default a random seed."""

    def close(self) -> None:
        """Return the oracle to its owner."""


@dataclass(slots=True, eq=False)
class _Kept:
    """An oracle and its process. The reference is loaded when the oracle is first lent."""

    problem: Problem
    process: Process
    files: tuple[Path, ...] = ()
    oracle: Oracle | None = None
    since_s: float = 0.0


@dataclass(slots=True)
class _Lent:
    """A borrowed oracle. `close` returns it, or ends it after an error."""

    kept: _Kept
    home: "Oracles"
    used: bool  # an earlier borrower has used it
    sound: bool = True
    closed: bool = False

    def fill(self, drawn: CaseData, seed: int | None = None) -> None:
        """See Filler. Raises OracleFailed, and JudgementCancelled if all oracles are being closed."""
        try:
            _oracle(self.kept).fill(drawn, seed)
        except OracleFailed:
            if not self.used:
                self.sound = False
                raise
            self.used = self.sound = False
            self.kept = self.home.replace(self.kept)
            self.sound = True
            self.fill(drawn, seed)
        except BaseException:
            self.sound = False
            raise

    def close(self) -> None:
        """See Filler."""
        if not self.closed:
            self.closed = True
            self.home.take_back(self.kept, sound=self.sound)


class Lender(Protocol):
    """Lends oracles; see Oracles."""

    def prepare(self, problem: Problem) -> None:
        """Start a sandbox for `problem`. Needs no share of the card."""

    def lend(self, problem: Problem, stopped: Callable[[], bool]) -> Filler:
        """Lend an oracle of `problem`. The caller must hold a share of the card."""


class Oracles:
    """Lends loaded oracles. Thread-safe. Callers must close it.

    `start` starts a new sandbox for the oracle of a problem, and `renew` restarts the limits of a sandbox.
    `directory` is for the process ids of oracles. `gpu` says whether oracles open a GPU.
    """

    def __init__(
        self,
        start: Callable[[Problem], Process],
        renew: Callable[[Process], None],
        *,
        directory: Path,
        gpu: bool,
        idle_s: float = _IDLE_S,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._start = start
        self._renew = renew
        self._directory = directory
        self._gpu = gpu
        self._idle_s = idle_s
        self._patience_s = patience_s
        self._idle: list[_Kept] = []
        self._lent: list[_Kept] = []
        self._lock = threading.Lock()
        self._closed = False
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)

    def prepare(self, problem: Problem) -> None:
        """Start a sandbox for `problem`, unless it already has one. Needs no share of the card.

        Raises RunnerUnusable if the sandbox does not start.
        """
        with self._lock:
            known = any(kept.problem.version == problem.version for kept in (*self._idle, *self._lent))
        if not known and not self._closed:
            self._keep(_Kept(problem, self._start(problem)))

    def lend(self, problem: Problem, stopped: Callable[[], bool]) -> Filler:
        """Lend a kept oracle of `problem`, or a new one. The caller must hold a share of the card.

        Raises:
            judge.errors.RunnerUnusable: a new oracle does not start.
            judge.errors.OracleFailed: the reference does not load.
            judge.errors.JudgementCancelled: `stopped` became true while waiting, or all oracles are being
                closed.
        """
        kept = self._find(problem.version, stopped)
        if kept is None:
            return _Lent(self._load(_Kept(problem, self._start(problem))), self, used=False)
        self._renew(kept.process)
        if kept.oracle is None:
            return _Lent(self._load(kept), self, used=False)
        return _Lent(kept, self, used=True)

    def replace(self, kept: _Kept) -> _Kept:
        """Return a new oracle, lent in place of a broken one. Raises the same errors as `lend`."""
        self._forget(kept)
        _end(kept)
        return self._load(_Kept(kept.problem, self._start(kept.problem)))

    def pids(self) -> tuple[int, ...]:
        """Return the process ids of all oracles on the card, including those of other judges on this host."""
        found = []
        for path in self._directory.iterdir():
            if Path("/proc", path.name).exists():
                found.append(int(path.name))
            else:
                path.unlink(missing_ok=True)
        return tuple(found)

    def take_back(self, kept: _Kept, *, sound: bool) -> None:
        """Take an oracle back. Keep it if it is `sound`, else end it."""
        if sound:
            self._keep(kept)
        else:
            self._forget(kept)
            _end(kept)

    def discard(self) -> None:
        """End idle oracles, because their contexts may be lost or may block the recovery of the card."""
        with self._lock:
            idle, self._idle = self._idle, []
        for kept in idle:
            _end(kept)

    def close(self) -> None:
        """End idle oracles, and stop the draws of lent oracles, which end when they are returned."""
        self._closed = True
        self.discard()

    def _find(self, version: str, stopped: Callable[[], bool]) -> _Kept | None:
        """Take an idle oracle of this version. Returns None if the caller must start another."""
        deadline = time.monotonic() + self._patience_s
        while not self._closed:
            with self._lock:
                found = next((kept for kept in self._idle if kept.problem.version == version), None)
                if found is not None:
                    self._idle.remove(found)
                    self._lent.append(found)
                lent = any(kept.problem.version == version for kept in self._lent)
            if found is not None:
                if _alive(found.process):
                    return found
                self._forget(found)
                _end(found)
            elif not lent or time.monotonic() > deadline:
                return None
            elif stopped():
                break
            else:
                time.sleep(_POLL_S)
        raise JudgementCancelled

    def _keep(self, kept: _Kept) -> None:
        kept.since_s = time.monotonic()
        with self._lock:
            if kept in self._lent:
                self._lent.remove(kept)
            if self._closed:
                surplus = [kept]
            else:
                self._idle.append(kept)
                surplus = self._idle[:-_MOST_IDLE]
                del self._idle[:-_MOST_IDLE]
                self._watch()
        for old in surplus:
            _end(old)

    def _load(self, kept: _Kept) -> _Kept:
        """Open the card and load the reference. The oracle counts as lent."""
        kept.files = tuple(self._directory / str(pid) for pid in kept.process.pids)
        for path in kept.files:
            path.touch()
        with self._lock:
            if kept not in self._lent:
                self._lent.append(kept)
        try:
            kept.oracle = Oracle(kept.problem, kept.process, lambda: self._closed, gpu=self._gpu)
        except BaseException:
            self._forget(kept)
            _end(kept)
            raise
        return kept

    def _forget(self, kept: _Kept) -> None:
        with self._lock:
            if kept in self._lent:
                self._lent.remove(kept)

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


def _oracle(kept: _Kept) -> Oracle:
    if kept.oracle is None:
        raise JudgementCancelled  # it was not loaded, because `Oracles` was closed
    return kept.oracle


def _end(kept: _Kept) -> None:
    if kept.oracle is not None:
        kept.oracle.close()
    else:
        kept.process.close()
    for path in kept.files:
        path.unlink(missing_ok=True)
