"""Stops a worker: it finishes running jobs within the grace period, or returns them to the queue.

Theory of operation. SIGTERM reaches only the main process (`docker stop`, the supervisor) or every process of
the worker (a shell, systemd). The main process writes the end of the grace period into a page of memory that
it shares with its children, since they are forked from it. So no message can be missed, and a child that is
forked later sees it too. An idle child that gets the signal itself exits at once, like Celery's children. A
child that judges records its own stop request, and exits after the job. From then on, no process claims jobs
(`worker.judging`). At the end of the grace period, the heartbeat of a judgement makes the judge kill the
sandboxes. Then the job returns to the queue without using up a try, and another worker is woken at once.

The times are of the kernel's monotonic clock, which all processes of a host share.
"""

import mmap
import signal
import struct
import threading
import time
from types import FrameType
from typing import Any

from django.conf import settings

_MOMENT = struct.Struct("d")


class GracefulShutdown:
    """A request to stop, with its time limit. Create it before the processes that share it are forked."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _MOMENT.size)
        self._own = 0.0
        self._before: Any = signal.SIG_DFL

    @property
    def asked(self) -> bool:
        """Return whether this process must claim no more jobs."""
        return bool(self._own or self._everybodys)

    @property
    def over(self) -> bool:
        """Return whether to give up the running job."""
        return any(end and time.monotonic() >= end for end in (self._own, self._everybodys))

    @property
    def left_s(self) -> float:
        """Seconds until the grace ends; infinite if no stop was requested."""
        ends = [end for end in (self._own, self._everybodys) if end]
        return max(0.0, min(ends) - time.monotonic()) if ends else float("inf")

    def ask(self, *, grace_s: float) -> None:
        """Stop all processes that share this, `grace_s` from now at the latest.

        A second request never gives more time. Safe in a signal handler.
        """
        end = time.monotonic() + grace_s
        if not self._everybodys or end < self._everybodys:
            _MOMENT.pack_into(self._shared, 0, end)

    def __enter__(self) -> None:
        """Mark the begin of a job: SIGTERM does not interrupt it as it interrupts an idle child."""
        if threading.current_thread() is threading.main_thread():  # only it may handle signals
            self._before = signal.signal(signal.SIGTERM, self._asked_alone)

    def __exit__(self, *_: object) -> None:
        """Mark the end of a job. If only this process was asked to stop, it does so now."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._before)
        if self._own and not self._everybodys:
            raise SystemExit(0)

    def _asked_alone(self, _number: int, _frame: FrameType | None) -> None:
        self._own = self._own or time.monotonic() + settings.WARPCOURT.stop_grace_s

    @property
    def _everybodys(self) -> float:
        (end,) = _MOMENT.unpack_from(self._shared)
        moment: float = end
        return moment


shutdown = GracefulShutdown()
