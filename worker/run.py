"""Runs one job of any kind, from claim to end.

Theory of operation. Each kind of job has a queue and a function `work`, which runs the job in this thread and
returns its final write. Meanwhile, a heartbeat thread extends the lease and detects cancellation.

A job ends with one write: its result, or its return to the queue. A failure of the judge (the package, the
toolchain, a disk, this code) returns the job to the queue for another try, and is never charged to its owner.
A worker that stops returns the job without using up a try. So does a host that cannot judge at the moment,
which then pauses. A host that lacks a requirement of this job alone also returns it without using up a try,
and does not claim it again. The write is repeated while the database does not answer, for as long as the
lease lasts (`worker.final_write`), and the heartbeat continues. A late or repeated write changes nothing,
because every write is fenced. Progress that cannot be written is skipped, because the result includes it.

Long jobs yield: between two steps the worker judges new submissions, so no user waits
for such a job longer than for one step of it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Generic, TypeVar

import structlog
from django.conf import settings
from django.db import DatabaseError, connections

from judge.errors import GpusMissing, JudgeError, JudgementCancelled
from web.jobs.models import LeasedJob
from web.jobs.queue import JobQueue, LeaseLost
from web.site import metrics
from web.site.databases import DATABASE_AWAY
from worker import disk_space
from worker.final_write import UNANSWERED, FinalWrite
from worker.heartbeat import Heartbeat
from worker.judge_handle import JudgeHandle
from worker.judges import Judge
from worker.node.inventory import process_name
from worker.pulse import PulseKind, pulse
from worker.readiness import CANNOT_JUDGE
from worker.shutdown import GracefulShutdown

log = structlog.get_logger(__name__)

J = TypeVar("J", bound=LeasedJob)
FULL_S = 10.0
# The reason of a return that counts as a try, so that no job is retried for ever.
_CHARGED = {"failed", "disk_full"}


class RequirementMissing(Exception):
    """Raised when this host does not have what a job needs, and another host may. The message names it."""


@dataclass(frozen=True, slots=True)
class WorkContext:
    """The context of a job: a judge, its handle, and the stop signal."""

    judge: Judge
    handle: JudgeHandle
    stop: GracefulShutdown


@dataclass(frozen=True, slots=True)
class Running(Generic[J]):
    """A job under its claim. `cancelled` is set if it must end before it is done."""

    job: J
    queue: JobQueue[J]
    context: WorkContext
    cancelled: Event
    run_urgent: Callable[[], bool]

    def show(self, write: Callable[[], object]) -> None:
        """Write progress and run more urgent jobs, if the database answers."""
        try:
            write()
            if not self.run_urgent():
                self.cancelled.set()
        except LeaseLost:
            self.cancelled.set()
        except UNANSWERED as error:  # for a while; the heartbeat reports when it is too long
            log.warning("progress_not_recorded", error=str(error))
            connections.close_all()

    def step(self, write: Callable[[], object]) -> None:
        """Show progress between two steps of a long job. Other steps may run in sandboxes meanwhile.

        Raises:
            JudgementCancelled: the job must end before it is done.
        """
        if not self.cancelled.is_set():
            self.show(write)
        if self.cancelled.is_set():
            raise JudgementCancelled

    def returned(self, reason: str, *, missing: str = "") -> FinalWrite:
        """Return the final write that returns a job to the queue for another try.

        `missing` names what this host would need to run the job.
        """
        log.info("job_returned", reason=reason, **({"missing": missing} if missing else {}))
        metrics.JOBS_RETURNED.labels(reason=reason).inc()
        write = partial(self.queue.return_to_queue, self.job, failed=reason in _CHARGED, missing=missing)
        return FinalWrite(write, interrupted=True)


@dataclass(frozen=True, slots=True)
class Work(Generic[J]):
    """The parts in which a kind of job differs for the worker.

    `named` binds the fields of a job's log entries. The lease is extended for at most `limit_s` seconds; None
    stands for the limit of a submission.
    """

    kind: PulseKind
    queue: JobQueue[J]
    do: Callable[[Running[J]], FinalWrite]
    named: Callable[[J], AbstractContextManager[object]]
    limit_s: Callable[[], float] | None = None


def _stay() -> bool:
    return True


def take(work: Work[J], context: WorkContext, *, run_urgent: Callable[[], bool] = _stay) -> bool:
    """Run the next job of a kind, if there is one.

    `run_urgent` runs more urgent jobs, and says whether to continue afterwards.
    """
    job = work.queue.claim(process_name(), gpu_models=context.judge.gpu_models)
    if job is None:
        return False
    cancelled = Event()
    running = Running(job, work.queue, context, cancelled, run_urgent)
    limit_s = work.limit_s() if work.limit_s else None
    extend = partial(work.queue.extend_lease, job)
    with (
        work.named(job),
        pulse.holding(work.kind, job.pk, job.attempt),
        Heartbeat(extend, cancelled, context.stop, limit_s=limit_s) as heartbeat,
    ):
        final_write = _run(work, running)
        if heartbeat.stopped and final_write.interrupted:
            final_write = running.returned("stopping")
        try:
            final_write.settle(lambda: heartbeat.lost)
        except DatabaseError:  # it answers, and refuses the content of the result
            log.exception("verdict_refused")
            running.returned("failed").settle(lambda: heartbeat.lost)
    return True


def _run(work: Work[J], running: Running[J]) -> FinalWrite:
    """Run the job. Return its final write; an exception returns it to the queue."""
    handle = running.context.handle
    try:
        final_write = work.do(running)
    except JudgementCancelled:  # by its owner, or because this worker stops or has failed
        return running.returned("stopping")
    except (RequirementMissing, GpusMissing) as error:
        return running.returned("requirement_missing", missing=str(error))
    except CANNOT_JUDGE as error:
        log.error("judge_unavailable", fix=str(error))  # noqa: TRY400 - a traceback would bury the fix
        metrics.CANNOT_JUDGE.inc()
        handle.put_off(str(error))
        return running.returned("cannot_judge")
    except DATABASE_AWAY as error:
        log.warning("package_not_read", error=str(error))
        connections.close_all()
        return running.returned("package_not_read")
    except Exception as error:  # the task's boundary: any exception is a failure of the judge
        metrics.JUDGE_FAILURES.inc()
        log.exception("judging_failed", tries=running.job.tries)
        if not isinstance(error, JudgeError):
            handle.close()
        return running.returned(_why_it_failed(handle, error))
    handle.worked()
    return final_write


def _why_it_failed(handle: JudgeHandle, error: Exception) -> str:
    """Return `disk_full`, after which this host pauses, or `failed`.

    `handle` detects a disk that stays full.
    """
    if not disk_space.is_disk_full(error):
        return "failed"
    fix = disk_space.shortage(settings.WARPCOURT) or f"{error}: make room on that disk"
    log.error("disk_full", fix=fix)
    handle.close(retry_in_s=FULL_S, trouble=fix)
    return "disk_full"
