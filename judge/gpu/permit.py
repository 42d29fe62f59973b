"""The permissions to draw on a card: a share of it, and the turn to draw timed cases before ranking."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition

from judge.errors import JudgementCancelled

_POLL_S = 0.02


class Permit:
    """Is granted while a run of the submission holds a lease of the card. Thread-safe."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._granted = self._alone = False
        self._busy = 0

    def grant(self, *, alone: bool = False) -> None:
        """Record that the run holds a share of the card, or with `alone` the whole card."""
        with self._changed:
            self._granted, self._alone = True, alone
            self._changed.notify_all()

    def revoke(self) -> None:
        """Withdraw the permission and wait for the current draw. Call this before the lease is released."""
        with self._changed:
            self._granted = self._alone = False
            self._changed.wait_for(lambda: not self._busy)

    @contextmanager
    def held(self, stopped: Callable[[], bool], *, alone: bool = False) -> Iterator[None]:
        """Wait for the permission and use the card inside.

        Raises JudgementCancelled if `stopped` comes first.

        With `alone`, wait until the whole card is granted.
        """
        with self._changed:
            while not self._changed.wait_for(lambda: self._alone if alone else self._granted, _POLL_S):
                if stopped():
                    raise JudgementCancelled
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()


class AheadTurn:
    """The turn to draw timed cases before the card is held alone. Only one judgement of a card has the turn.

    All judges of the host share the file `path`. The operating system releases the turn when a process ends.
    `give_back` also releases it for processes that were forked in the meantime.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Take the turn if it is free. Return whether this object has it."""
        if self._descriptor is None:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(descriptor)
                if isinstance(error, BlockingIOError):
                    return False
                raise
            self._descriptor = descriptor
        return True

    def give_back(self) -> None:
        """Release the turn, if this object has it."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing alone would leave it to forked processes
            finally:
                os.close(descriptor)
