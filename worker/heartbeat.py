"""Keeps a lease alive while a submission is judged."""

import time
from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType
from typing import Self

import structlog
from django.conf import settings
from django.db import DatabaseError, connections

from web.submissions import services

log = structlog.get_logger(__name__)

INTERVAL_S = 1.0


class Heartbeat:
    """A thread that calls `extend_lease` for a claim, from `with` until its end.

    Sets `cancelled` when the user cancelled or the lease is lost; the judge then kills its sandboxes.
    Stops extending at the job's time limit, so that a process that hangs loses its job. A database
    that does not answer is survived for as long as the lease lasts.
    """

    def __init__(self, extend_lease: Callable[[], services.Hold], cancelled: Event) -> None:
        self.lost = False
        self._extend_lease = extend_lease
        self._cancelled = cancelled
        self._done = Event()
        self._thread = Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _beat(self) -> None:
        lease_s = settings.WARPCOURT.lease_s
        held_until = time.monotonic() + lease_s
        give_up = time.monotonic() + settings.WARPCOURT.job_limit_s
        while not self._done.wait(min(INTERVAL_S, lease_s / 4)):
            if time.monotonic() < give_up:
                hold = self._extend()
                if hold is not None:
                    held_until = time.monotonic() + lease_s
                if hold is services.Hold.CANCELLED:
                    self._cancelled.set()
                if hold is services.Hold.LOST:
                    break
            if time.monotonic() >= held_until:
                break
        else:
            connections.close_all()
            return
        self.lost = True
        self._cancelled.set()
        connections.close_all()

    def _extend(self) -> services.Hold | None:
        try:
            return self._extend_lease()
        except DatabaseError as error:
            log.warning("lease_not_extended", error=str(error))
            connections.close_all()
            return None
