"""Keeps a lease alive from the claim of a job until its verdict is in the database.

Theory of operation. A thread extends the lease every second. It sets `cancelled`, at which the judge kills
its sandboxes, if the user cancelled, the lease went to another worker, or the worker's grace period is over.
If the database does not answer, the judgement continues as long as the lease lasts. This is counted on the
monotonic clock of the host from before the last request to extend it, so the worker never assumes a longer
lease than the database does. After a failure it tries a new connection.

At the job's time limit, or at `limit_s`, the thread stops extending, so a process that hangs loses its job.
"""

import time
from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType
from typing import Self

import structlog
from django.conf import settings
from django.db import connections

from web.jobs.queue import Hold
from web.site import metrics
from worker.shutdown import GracefulShutdown

log = structlog.get_logger(__name__)

INTERVAL_S = 1.0
ENDING_S = 0.2


class Heartbeat:
    """A thread that calls `extend_lease` for a claim, until the end of the `with` block.

    `lease_s` is the length of the lease, by default that of the settings. `stopped` says that the end of the
    worker's grace period set `cancelled`.
    """

    def __init__(
        self,
        extend_lease: Callable[[], Hold],
        cancelled: Event,
        stop: GracefulShutdown,
        *,
        limit_s: float | None = None,
        lease_s: float | None = None,
    ) -> None:
        self.stopped = False
        self._taken = False
        self._extend_lease = extend_lease
        self._cancelled = cancelled
        self._stop = stop
        self._done = Event()
        self._lease_s = lease_s or settings.WARPCOURT.lease_s
        self._held_until = time.monotonic() + self._lease_s
        self._give_up = time.monotonic() + (limit_s or settings.WARPCOURT.job_limit_s)
        self._thread = Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    @property
    def lost(self) -> bool:
        """Return whether another worker has the lease, or it may have expired."""
        return self._taken or time.monotonic() >= self._held_until

    def _beat(self) -> None:
        while not self._done.wait(self._pause_s()):
            if self._stop.over and not self.stopped:
                self.stopped = True
                self._cancelled.set()
            if time.monotonic() < self._give_up:
                self._extend()
            if self.lost:
                reason = "taken" if self._taken else "expired"
                metrics.LEASES_LOST.labels(reason=reason).inc()
                log.warning("lease_lost", reason=reason)
                self._cancelled.set()
                break
        connections.close_all()

    def _pause_s(self) -> float:
        """Return the seconds until the next beat, or the end of the grace period."""
        pause_s = min(INTERVAL_S, self._lease_s / 4)
        return pause_s if self.stopped else min(pause_s, self._stop.left_s)

    def _extend(self) -> None:
        asked = time.monotonic()
        try:
            hold = self._extend_lease()
        except Exception as error:  # noqa: BLE001 - the thread's boundary; the next beat may do better
            metrics.LEASE_EXTENSIONS_FAILED.inc()
            log.warning("lease_not_extended", error=str(error))
            connections.close_all()
            return
        if hold is Hold.LOST:
            # If the verdict was written in the meantime, a pending beat finds the lease ended by it.
            self._taken = not self._done.wait(ENDING_S)
            return
        self._held_until = asked + self._lease_s
        if hold is Hold.CANCELLED:
            self._cancelled.set()
