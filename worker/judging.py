"""Claims and runs the next job when a worker is woken: a submission, or else a job of another kind.

Theory of operation. `judge_next` first takes submissions of waiting users. If there are none, it takes proofs
and previews of workspaces (`worker.proving`), then sets to be imported (`worker.importing`), and finally
hidden runs of a rejudge. `worker.run` describes how each job ends. Submissions and hidden runs are judged in
the same way; each result is stored with its own kind.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol, TypeVar

import structlog
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections

from judge.report import FreshReport, ProgressEvent, Report
from problems.vocabulary import Step, Verdict
from web.fleet.queries import may_claim
from web.rejudges.models import HiddenRun
from web.rejudges.queue import queue as hidden_runs
from web.submissions.gpu_time import node_used_up
from web.submissions.models import EventKind, Job
from web.submissions.services import queue as submissions
from worker import disk_space, importing, proving
from worker.final_write import UNANSWERED, FinalWrite
from worker.judge_handle import JudgeHandle, judge_handle
from worker.node.inventory import node_name
from worker.observing import watched
from worker.pulse import PulseKind
from worker.run import Running, Work, WorkContext, take
from worker.shutdown import GracefulShutdown, shutdown

log = structlog.get_logger(__name__)

_SHOWN = {Step.COMPILING, Step.COMPILED, Step.CASE, Step.DISTURBED, Step.WAITING, Step.TIMING}
S = TypeVar("S", Job, HiddenRun)
S_contra = TypeVar("S_contra", Job, HiddenRun, contravariant=True)
# Verdicts that a full disk does not cause.
_TRUSTED = {Verdict.ACCEPTED, Verdict.CANCELLED}


def judge_next(judge_handle: JudgeHandle = judge_handle, stop: GracefulShutdown = shutdown) -> None:
    """Run the most urgent waiting job.

    Does nothing if there is no job, this host cannot judge, staff have drained it, its limit of GPU time is
    reached, the worker stops, or the database does not answer. In these cases, the sweeper wakes a worker
    later.
    """
    close_old_connections()
    with stop:
        try:
            judge = None if stop.asked else judge_handle.judge()
            if judge is None or not _may_take():
                return
            _take_next(WorkContext(judge, judge_handle, stop))
        except UNANSWERED as error:
            log.warning("claim_skipped", reason="database_down", error=str(error))
            connections.close_all()


def _may_take() -> bool:
    """Return whether this host may take jobs: staff have not drained it, and it has GPU time left today."""
    return may_claim(node_name()) and not node_used_up(node_name())


def _take_next(context: WorkContext) -> bool:
    def run_urgent() -> bool:
        while not context.stop.asked and _may_take():
            if not take(SUBMISSIONS, context):
                return True
            if context.handle.judge() is not context.judge:  # closed after a failure
                return False
        return False

    return (
        take(SUBMISSIONS, context)
        or take(proving.WORK, context, run_urgent=run_urgent)
        or take(importing.WORK, context, run_urgent=run_urgent)
        or take(HIDDEN_RUNS, context)
    )


class _Judged(Protocol[S_contra]):
    """A queue of submissions or of hidden runs."""

    def add_event(self, job: S_contra, kind: EventKind, payload: Mapping[str, object]) -> object:
        """Append an event, if the job has watchers."""

    def record(self, job: S_contra, report: Report) -> bool:
        """Store the report."""


def _judge(
    queue: _Judged[S],
    running: Running[S],
    *,
    add_listings: Callable[[S, Mapping[str, str]], object] | None = None,
) -> FinalWrite:
    """Judge the submission of a job.

    `add_listings` stores the listings that are made after the verdict. Without it, the verdict waits for
    them.
    """
    job = running.job
    log.info("judging_started", problem=job.submission.problem.slug, language=job.submission.language)

    def show(progress: ProgressEvent) -> None:
        if progress.kind in _SHOWN:
            place = {"index": progress.index, "total": progress.total} if progress.index is not None else {}
            event = {"text": progress.text, **place}
            running.show(partial(queue.add_event, job, EventKind(progress.kind), event))

    judge, cancelled = running.context.judge, running.cancelled
    report = judge.evaluate(job.submission, on_progress=show, cancelled=cancelled)
    if report.verdict not in _TRUSTED and (fix := disk_space.exhausted(settings.WARPCOURT)):
        log.error("disk_full", fix=fix, distrusted=report.verdict.value)
        return running.returned("disk_full")
    follow_up = None
    if isinstance(report, FreshReport) and report.later is not None:
        if add_listings is None:
            report = report.with_listings()
        else:
            follow_up = partial(_follow, report, partial(add_listings, job))
    interrupted = report.verdict is Verdict.CANCELLED
    return FinalWrite(
        partial(queue.record, job, report), report.verdict, interrupted=interrupted, follow_up=follow_up
    )


def _follow(report: FreshReport, add_listings: Callable[[Mapping[str, str]], object]) -> None:
    """Store the listings that were finished in the meantime.

    They are lost if the database does not answer.
    """
    try:
        add_listings(report.with_listings().listings)
    except DatabaseError as error:
        log.warning("listings_not_recorded", error=str(error))
        connections.close_all()


SUBMISSIONS = Work(
    PulseKind.SUBMISSIONS,
    submissions,
    partial(_judge, submissions, add_listings=submissions.add_listings),
    watched,
)
HIDDEN_RUNS = Work(PulseKind.HIDDEN_RUNS, hidden_runs, partial(_judge, hidden_runs), watched)
