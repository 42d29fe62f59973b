"""The thread that replaces children that hang, and ends their jobs.

Theory of operation. It runs in the worker's main process, whose interpreter no child can block, and reads the
signs of life of the children (`worker.pulse`). A child that has used `silent_s` of CPU time since its last
sign is in a call that does not end. The thread kills the child, its sandboxes die with it, and Celery starts
another. The thread counts CPU time instead of elapsed time, so it kills no child on a host that is paused,
asleep or overloaded. A child that waits without using CPU time is ended by its lease and by Celery's limit.

The job would also hang the next child. So it ends at once as a failure of the judge, is not charged to its
author, and is not retried. This is one write, fenced by the attempt of the claim: if the child recovered
before it died, or the lease was lost, the write changes nothing. It is repeated while the database does not
answer, for the length of a lease.
"""

import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread

import structlog
from django.conf import settings
from django.db import connections

from web.authoring.queue import queue as proofs
from web.importing.queue import queue as imports
from web.rejudges.queue import queue as hidden_runs
from web.site import metrics
from web.submissions.services import queue as submissions
from worker.final_write import UNANSWERED
from worker.pulse import Held, Pulse, PulseKind, Sign, activity_of

log = structlog.get_logger(__name__)

LEAST_S, MOST_S = 1.0, 4.0
Abandon = Callable[[int, int], bool]
ABANDON: Mapping[PulseKind, Abandon] = {
    PulseKind.SUBMISSIONS: submissions.abandon,
    PulseKind.HIDDEN_RUNS: hidden_runs.abandon,
    PulseKind.PROOFS: proofs.abandon,
    PulseKind.IMPORTS: imports.abandon,
}

# A child forked in the middle of a write would inherit a database connection in use.
_writing = Lock()
os.register_at_fork(
    before=_writing.acquire, after_in_parent=_writing.release, after_in_child=_writing.release
)


def silent_s() -> float:
    """Return the processor time that a child may use without a sign: far less than a lease."""
    return max(LEAST_S, min(MOST_S, 0.2 * settings.WARPCOURT.lease_s))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A sign of life, and the processor time that the child had used when the sign was new."""

    sign: Sign
    used_s: float


class Watchdog:
    """Watches the children in `pulse`, from `start` until the process ends."""

    def __init__(
        self, pulse: Pulse, silent_s: float, *, abandon: Mapping[PulseKind, Abandon] = ABANDON
    ) -> None:
        self._pulse = pulse
        self._silent_s = silent_s
        self._abandon = abandon
        self._seen: dict[int, _Seen] = {}
        self._killed: dict[int, Sign] = {}
        self._unwritten: list[tuple[Held, float]] = []
        self._thread = Thread(target=self._run, name="watchdog", daemon=True)

    def start(self) -> None:
        """Start the thread. It also runs while the worker stops: a child that hangs would block the stop."""
        self._thread.start()

    def look(self) -> None:
        """Replace the children that hang now, and end their jobs."""
        for slot, sign in self._pulse.signs():
            activity = activity_of(sign.pid)
            if activity is None or activity.started != sign.started:
                self._seen.pop(slot, None)
                continue
            if sign == self._killed.get(slot):
                continue  # the kernel needs a moment to end it
            seen = self._seen.get(slot)
            if seen is None or seen.sign != sign:
                self._seen[slot] = _Seen(sign, activity.used_s)
            elif activity.used_s - seen.used_s >= self._silent_s:
                self._killed[slot] = sign
                self._replace(sign)
        self._unwritten = [entry for entry in self._unwritten if not self._ended(*entry)]

    def _run(self) -> None:
        pause = Event()
        while not pause.wait(self._silent_s / 8):
            try:
                self.look()
            except Exception:  # the thread's boundary: without it no child would be replaced
                log.exception("watchdog_failed")

    def _replace(self, sign: Sign) -> None:
        held = sign.held
        log.error("child_hung", child=sign.pid, kind=held.kind.name.lower(), pk=held.pk, attempt=held.attempt)
        metrics.CHILDREN_HUNG.inc()
        with suppress(ProcessLookupError):
            os.kill(sign.pid, signal.SIGKILL)
        if held.kind is not PulseKind.NONE:
            self._unwritten.append((held, time.monotonic() + settings.WARPCOURT.lease_s))

    def _ended(self, held: Held, until: float) -> bool:
        """Return whether nothing is left to write, because it is written or it is too late."""
        with _writing:
            try:
                self._abandon[held.kind](held.pk, held.attempt)
            except UNANSWERED as error:
                log.warning("abandonment_not_recorded", error=str(error))
                return time.monotonic() >= until
            finally:
                connections.close_all()
        return True
