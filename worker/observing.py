"""Logging, metrics and tracing of jobs in the worker."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import structlog
from django.db import connections

from judge.report import StageTime
from web.rejudges.models import HiddenRun
from web.site import metrics, tracing
from web.site.origin import RequestOrigin
from web.submissions import queries
from web.submissions.models import Job, Submission
from worker.final_write import UNANSWERED

_POOL = {"pool_hits_": metrics.POOL_HITS, "pool_misses_": metrics.POOL_MISSES}
_SECRET_POOL = {
    "secret_pool_hits@": metrics.SECRET_POOL_HITS,
    "secret_pool_misses@": metrics.SECRET_POOL_MISSES,
}


@contextmanager
def watched(claim: Job | HiddenRun) -> Iterator[None]:
    """Add the submission, its author's number and its original request to all log entries in the block.

    The block is a span of that request's trace.
    """
    submission = claim.submission
    origin = _origin(submission)
    ids: dict[str, str | int] = {
        "submission_id": submission.public_id,
        "attempt": claim.attempt,
        "user_id": submission.user_id,
        **({"request_id": origin.request_id} if origin.request_id else {}),
    }
    attributes = {f"warpcourt.{name}": value for name, value in ids.items()}
    started = time.monotonic()
    with (
        structlog.contextvars.bound_contextvars(**ids),
        tracing.span("judge", parent=origin.traceparent, attributes=attributes),
        metrics.JUDGING.track_inprogress(),
    ):
        yield
    metrics.JUDGING_SECONDS.labels(queue=submission.job.queue).observe(time.monotonic() - started)


def count_stage(stage: StageTime) -> None:
    """Count a stage that has just ended, and add it to the trace."""
    metrics.STAGE_SECONDS.labels(stage=stage.name).observe(stage.ms / 1000)
    tracing.passed(stage.name, stage.ms / 1000)


def count_ready(changes: Mapping[str, int]) -> None:
    """Count cache hits of a judgement: `changes` of a target's metrics, by their names."""
    for name, change in changes.items():
        for prefix, counter in _POOL.items():
            if name.startswith(prefix):
                counter.labels(kind=name.removeprefix(prefix)).inc(change)
        for prefix, counter in _SECRET_POOL.items():
            if name.startswith(prefix):
                counter.inc(change)


def _origin(submission: Submission) -> RequestOrigin:
    """Return the ids; empty if the database does not answer, because the judgement must not fail."""
    try:
        return queries.origin_of(submission)
    except UNANSWERED:
        connections.close_all()
        return RequestOrigin()
