"""The thread that finds jobs that a lost worker or a lost message left behind."""

import os
import time
from collections.abc import Callable
from functools import partial
from threading import Event, Lock, Thread
from typing import Any

import structlog
from django.db import connections

from web.authoring.queue import queue as proofs
from web.fleet.queries import hosts_of
from web.importing.queue import queue as imports
from web.jobs.queue import JobQueue
from web.leaderboards import ranking
from web.notifications import mailing
from web.privacy import deletion
from web.rejudges import rejudging
from web.rejudges.queue import queue as hidden_runs
from web.site import metrics
from web.submissions.services import queue as submissions
from worker.final_write import UNANSWERED

log = structlog.get_logger(__name__)

_LATE_SWEEPS, _LATE_S = 3, 10.0

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
        self._done = time.monotonic()
        self._thread = Thread(target=self.run, name="sweeper", daemon=True)

    def start(self) -> None:
        """Start sweeping in a thread, at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop sweeping. Returns at once; a running sweep completes."""
        self._stop.set()

    @property
    def trouble(self) -> str:
        """Return the reason why it does not sweep; empty if it does."""
        late_s = time.monotonic() - self._done
        if late_s < _LATE_SWEEPS * self._interval_s + _LATE_S:
            return ""
        return f"no sweep was done for {late_s:.0f} s: the database does not answer, or too slowly"

    def run(self) -> None:
        """Sweep in this thread, at once and then regularly until `stop`."""
        while not self._stop.is_set():
            with _sweeping:
                if sweep_once():
                    self._done = time.monotonic()
            self._stop.wait(self._interval_s)


def sweep_once() -> bool:
    """Run each of the sweeper's tasks, even if another one fails. Return whether all succeeded.

    If the database does not answer, the next sweep tries again.
    """
    done = True
    try:
        with metrics.SWEEP_SECONDS.time():
            queues: tuple[JobQueue[Any], ...] = (submissions, proofs, imports, hidden_runs)
            rounds: list[Callable[[], object]] = [partial(_sweep, queue) for queue in queues]
            for sweep in (
                *rounds,
                rejudging.go_on,
                deletion.go_on,
                ranking.refresh_if_due,
                mailing.send_due,
            ):
                done &= _survives(sweep)
    except UNANSWERED as error:
        done = False
        log.warning("sweep_failed", error=str(error))
    finally:
        connections.close_all()
    metrics.SWEEPS.labels(outcome="done" if done else "failed").inc()
    if done:
        metrics.LAST_SWEEP.set_to_current_time()
    return done


def _survives(sweep: Callable[[], object]) -> bool:
    """Run one sweep. Return whether it succeeded. A failure is logged and does not stop the other sweeps."""
    try:
        sweep()
    except UNANSWERED:
        raise
    except Exception:  # the thread's boundary: an exception would end all sweeps
        log.exception("sweep_failed", sweep=str(sweep))
        return False
    return True


def _sweep(queue: JobQueue[Any]) -> None:
    swept = queue.sweep(hosts=hosts_of)
    metrics.SWEPT.labels(outcome="requeued").inc(swept.requeued)
    metrics.SWEPT.labels(outcome="concluded").inc(swept.concluded)
    if swept.requeued or swept.concluded:
        kind = queue.model.__name__.lower()
        log.warning("jobs_swept", kind=kind, requeued=swept.requeued, concluded=swept.concluded)
