"""One proof or preview of a problem that is being written, from claim to report.

Theory of operation. As in `worker.judging`: a claim, a heartbeat that extends its lease and learns of its
end, one write at the end that is kept until the database takes it. What differs is whose fault a failure is.
A reference that breaks is its author's, and they read where; nothing is tried again. Whatever else fails is
ours and is tried again.

A proof judges dozens of programs. Between two of them the worker judges the submissions that came meanwhile,
so nobody waits for a proof longer than for one program of it. A worker that is asked to stop, or whose node
is drained, hands the proof back at such a moment.
"""

import time
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, connections

from judge.errors import JudgeError, JudgementCancelled, OracleFailed
from judge.proof.preview import CaseWanted, PreviewRefused
from judge.proof.results import to_json
from judge.report import Progress
from problems.contents import as_folder
from problems.faults import PackageInvalid
from problems.loader import load_problem
from web import metrics
from web.authoring import docket
from web.authoring.docket import RunClaim
from web.authoring.models import RunKind
from web.submissions.services import LeaseLost
from worker.bench import Bench
from worker.ending import UNANSWERED, Ending
from worker.heartbeat import Heartbeat
from worker.judges import Judge
from worker.node.inventory import process_name
from worker.pulse import Kind, pulse
from worker.readiness import CANNOT_JUDGE
from worker.stopping import Stopping

log = structlog.get_logger(__name__)

GiveWay = Callable[[], bool]


def take(judge: Judge, bench: Bench, stop: Stopping, *, give_way: GiveWay) -> bool:
    """Run a proof or a preview that waits, if there is one.

    `give_way` judges what is more urgent, and says whether to go on afterwards.
    """
    claim = docket.claim(process_name())
    if claim is None:
        return False
    with structlog.contextvars.bound_contextvars(run_id=claim.run.pk, run_attempt=claim.attempt):
        log.info("proving", kind=claim.run.kind, problem=claim.contents.slug)
        cancelled = Event()
        limit_s = settings.WARPCOURT.proof_limit_s
        with (
            pulse.holding(Kind.PROOFS, claim.run.pk, claim.attempt),
            Heartbeat(partial(docket.extend_lease, claim), cancelled, stop, limit_s=limit_s) as heartbeat,
        ):
            ending = _run(claim, judge, bench, cancelled, give_way)
            try:
                ending.settle(lambda: heartbeat.lost)
            except DatabaseError:  # it answers, and does not take what the report holds
                log.exception("proof_refused")
                _handed_back(claim, failed=True).settle(lambda: heartbeat.lost)
    return True


def _run(claim: RunClaim, judge: Judge, bench: Bench, cancelled: Event, give_way: GiveWay) -> Ending:
    """How the run ends."""
    try:
        return _work(claim, judge, cancelled, give_way)
    except (OracleFailed, PackageInvalid, PreviewRefused) as error:
        log.info("proof_impossible", reason=type(error).__name__)
        return Ending(partial(docket.record_failure, claim, str(error)))
    except JudgementCancelled:  # by its author, or because this worker stops or gave way to trouble
        return _handed_back(claim, failed=False)
    except CANNOT_JUDGE as error:
        log.error("cannot_judge_here", fix=str(error))  # noqa: TRY400 - a traceback would bury the fix
        metrics.CANNOT_JUDGE.inc()
        bench.put_off(str(error))
        return _handed_back(claim, failed=False)
    except JudgeError:
        metrics.JUDGE_FAILURES.inc()
        log.exception("proving_failed", tries=claim.tries)
        return _handed_back(claim, failed=True)
    except Exception:  # the task's boundary: our failure, whatever it is
        metrics.JUDGE_FAILURES.inc()
        log.exception("proving_failed", tries=claim.tries)
        bench.close()
        return _handed_back(claim, failed=True)


def _work(claim: RunClaim, judge: Judge, cancelled: Event, give_way: GiveWay) -> Ending:
    with as_folder(claim.contents) as folder:
        problem = load_problem(folder)
        if claim.run.kind == RunKind.PREVIEW:
            wanted = CaseWanted.from_json(claim.run.wanted)
            shown = judge.preview(problem, wanted, cancelled=cancelled)
            return Ending(partial(docket.record, claim, shown.to_json()))
        gpu = claim.run.wanted.get("gpu", "")
        tell = _Teller(claim, cancelled, give_way)
        proof = judge.prove(problem, gpu=gpu, on_progress=tell, cancelled=cancelled)
        return Ending(partial(docket.record, claim, to_json(proof), holds=proof.holds))


class _Teller:
    """Tells of a proof's progress, gives way in between, and ends it when it was given up."""

    def __init__(self, claim: RunClaim, cancelled: Event, give_way: GiveWay) -> None:
        self._claim = claim
        self._cancelled = cancelled
        self._give_way = give_way
        self._started = time.monotonic()
        self._steps: list[dict[str, Any]] = []

    def __call__(self, progress: Progress) -> None:
        """Called before and after every part of a proof, with no sandbox of it in use."""
        if self._cancelled.is_set():
            raise JudgementCancelled
        self._steps.append(
            {
                "kind": progress.kind,
                "text": progress.text,
                "index": progress.index,
                "total": progress.total,
                "at_s": round(time.monotonic() - self._started, 1),
            }
        )
        if not self._go_on() or self._cancelled.is_set():
            raise JudgementCancelled

    def _go_on(self) -> bool:
        try:
            docket.tell(self._claim, self._steps)
            return self._give_way()
        except LeaseLost:
            return False
        except UNANSWERED as error:  # for a while; the heartbeat says when it is too long
            log.warning("progress_not_told", error=str(error))
            connections.close_all()
            return True


def _handed_back(claim: RunClaim, *, failed: bool) -> Ending:
    reason = "failed" if failed else "stopping"
    log.info("handing_back", reason=reason)
    metrics.HANDED_BACK.labels(reason=reason).inc()
    return Ending(partial(docket.hand_back, claim, failed=failed))
