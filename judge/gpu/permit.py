"""The right to draw on a card, which a submission's runs give to its draws while they hold a share of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from judge.errors import JudgementCancelled

_POLL_S = 0.02


class Permit:
    """Granted while a run holds a lease of the card. Safe between threads."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._granted = False
        self._busy = 0

    def grant(self) -> None:
        """A share of the card is held from now on."""
        with self._changed:
            self._granted = True
            self._changed.notify_all()

    def revoke(self) -> None:
        """Wait for what is being drawn: the share is about to be given back."""
        with self._changed:
            self._granted = False
            self._changed.wait_for(lambda: not self._busy)

    @contextmanager
    def held(self, stopped: Callable[[], bool]) -> Iterator[None]:
        """Use the card inside, once that is granted. Raises JudgementCancelled when `stopped` before."""
        with self._changed:
            while not self._changed.wait_for(lambda: self._granted, _POLL_S):
                if stopped():
                    raise JudgementCancelled
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()
