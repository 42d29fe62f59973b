"""One submission, from claim to verdict.

Theory of operation. `judge_next` claims, evaluates and records; each is one call into the layer below.
There are two dockets to claim from: submissions that people wait for, and only when none of them waits,
hidden runs of a rejudge. Whatever is claimed is judged in the same way and recorded where it came from.
While the judge works in this thread, a heartbeat thread extends the lease and learns of cancellation.
Whatever fails on our side (the package, the toolchain, the database, this code) hands the job back for
another try and is never charged to the user. A report that comes too late, after the lease went to
somebody else, changes nothing: `record` sees the newer attempt.
"""

import os
import socket
from collections.abc import Collection, Mapping
from functools import partial
from threading import Event
from typing import Protocol, TypeVar

import structlog
from django.db import close_old_connections

from judge.errors import JudgeError
from judge.report import Progress, Report
from web.fleet.queries import may_claim
from web.staff import hidden_runs
from web.submissions import services
from web.submissions.models import EventKind
from worker.bench import RETRY_S, Bench, bench
from worker.heartbeat import Heartbeat
from worker.judges import Judge
from worker.node.inventory import node_name
from worker.readiness import CANNOT_JUDGE

log = structlog.get_logger(__name__)

_SHOWN = {
    EventKind.COMPILING,
    EventKind.COMPILED,
    EventKind.CASE,
    EventKind.DISTURBED,
    EventKind.WAITING,
    EventKind.TIMING,
}


C = TypeVar("C", bound=services.Claim)


class Docket(Protocol[C]):
    """Where submissions are claimed, and where their reports go."""

    def claim(self, worker: str, *, gpu_models: Collection[str] = ()) -> C | None:
        """The next one that asks for no GPU or for one of these models, if any."""

    def extend_lease(self, held: C) -> services.Hold:
        """Whether to go on."""

    def add_event(self, held: C, kind: EventKind, payload: Mapping[str, object]) -> object:
        """Tell those who watch, if anybody may."""

    def record(self, held: C, report: Report) -> bool:
        """Store the report."""

    def hand_back(self, held: C, *, failed: bool) -> bool:
        """Give it up."""


def judge_next(bench: Bench = bench) -> None:
    """Judge the most urgent submission that waits.

    Does nothing when none does, this host cannot, or staff have drained it.
    """
    close_old_connections()
    judge = bench.judge()
    if judge is None or not may_claim(node_name()):
        return
    if not _take(services, judge, bench):
        _take(hidden_runs, judge, bench)


def _take(docket: Docket[C], judge: Judge, bench: Bench) -> bool:
    claim = docket.claim(f"{socket.gethostname()}:{os.getpid()}", gpu_models=judge.gpu_models)
    if claim is None:
        return False
    submission_id = claim.submission.public_id
    with structlog.contextvars.bound_contextvars(submission_id=submission_id, attempt=claim.attempt):
        _judge(docket, claim, judge, bench)
    return True


def _judge(docket: Docket[C], claim: C, judge: Judge, bench: Bench) -> None:
    cancelled = Event()
    log.info("judging", problem=claim.submission.problem.slug, language=claim.submission.language)
    try:
        with Heartbeat(partial(docket.extend_lease, claim), cancelled) as heartbeat:
            report = _evaluate(docket, claim, judge, cancelled)
    except CANNOT_JUDGE as error:
        log.error("cannot_judge_here", fix=str(error))  # noqa: TRY400 - a traceback would bury the fix
        bench.close(retry_in_s=RETRY_S)
        docket.hand_back(claim, failed=False)
    except JudgeError:
        log.exception("judging_failed", tries=claim.tries)
        docket.hand_back(claim, failed=True)
    except Exception:  # the task's boundary: our failure, whatever it is
        log.exception("judging_failed", tries=claim.tries)
        bench.close()
        docket.hand_back(claim, failed=True)
    else:
        if heartbeat.lost or not docket.record(claim, report):
            log.warning("verdict_discarded", reason="the lease was lost")
        else:
            log.info("judged", verdict=report.verdict.value)


def _evaluate(docket: Docket[C], claim: C, judge: Judge, cancelled: Event) -> Report:
    def tell(progress: Progress) -> None:
        if progress.kind not in _SHOWN:
            return
        place = {"index": progress.index, "total": progress.total} if progress.index is not None else {}
        try:
            docket.add_event(claim, EventKind(progress.kind), {"text": progress.text, **place})
        except services.LeaseLost:
            cancelled.set()

    return judge.evaluate(claim.submission, on_progress=tell, cancelled=cancelled)
