"""The thread that looks for work that a lost worker or a lost ring left behind."""

import os
from threading import Event, Lock, Thread

import structlog
from django.db import DatabaseError, connections

from web.leaderboards import ranking
from web.staff import hidden_runs, rejudging
from web.submissions import services

log = structlog.get_logger(__name__)

# A child forked in the middle of a sweep would inherit a database connection in use.
_sweeping = Lock()
os.register_at_fork(
    before=_sweeping.acquire, after_in_parent=_sweeping.release, after_in_child=_sweeping.release
)


class Sweeper:
    """Sweeps every `interval_s`, from `start` to `stop`, with no connection kept in between."""

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._stop = Event()
        self._thread = Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        """Start sweeping, at once."""
        self._thread.start()

    def stop(self) -> None:
        """Sweep no more. Returns at once; a sweep under way ends by itself."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            with _sweeping:
                sweep_once()
            self._stop.wait(self._interval_s)


def sweep_once() -> None:
    """Sweep, and survive a database that does not answer."""
    try:
        swept = services.sweep()
        if swept.requeued or swept.concluded:
            log.warning("swept", requeued=swept.requeued, concluded=swept.concluded)
        hidden_runs.sweep()
        rejudging.go_on()
        ranking.refresh_if_due()
    except DatabaseError as error:
        log.warning("sweep_failed", error=str(error))
    finally:
        connections.close_all()
