"""One submission, from claim to verdict.

Theory of operation. `judge_next` claims, evaluates and records; each is one call into the layer below.
There are three dockets to claim from: submissions that people wait for; only when none of them waits,
proofs and previews of problems that are being written (`worker.proving`), then sets to be imported
(`worker.importing`); and last, hidden runs of a rejudge.
A proof takes minutes, so it gives way in between to submissions that came meanwhile. Submissions and hidden
runs are judged in the same way and recorded where they came from.
While the judge works in this thread, a heartbeat thread extends the lease and learns of cancellation.

How a judgement ends is one write: the report, or that the job is handed back. Whatever fails on our side
(the package, the toolchain, a disk, this code) hands it back for another try and is never charged to the
user; a worker that stops hands it back without a try. The write is repeated while the database does not
answer, for as long as the lease lasts (`worker.ending`), and the heartbeat goes on meanwhile. What is written
too late, or twice, changes nothing: every write names its attempt. Progress that cannot be told is left out:
the report has it all.
"""

from collections.abc import Collection, Mapping
from functools import partial
from threading import Event
from typing import Protocol, TypeVar

import structlog
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connections

from judge.errors import JudgeError
from judge.report import Progress, Report
from problems.vocabulary import Step, Verdict
from web import metrics
from web.databases import DATABASE_AWAY
from web.fleet.queries import may_claim
from web.staff import hidden_runs
from web.submissions import services
from web.submissions.models import EventKind
from worker import importing, proving, room
from worker.bench import Bench, bench
from worker.ending import UNANSWERED, Ending
from worker.heartbeat import Heartbeat
from worker.judges import Judge
from worker.node.inventory import node_name, process_name
from worker.observing import watched
from worker.pulse import Kind, pulse
from worker.readiness import CANNOT_JUDGE
from worker.stopping import Stopping, stopping

log = structlog.get_logger(__name__)

_SHOWN = {Step.COMPILING, Step.COMPILED, Step.CASE, Step.DISTURBED, Step.WAITING, Step.TIMING}
FULL_S = 10.0
# Verdicts that a full disk does not bring about.
_TRUSTED = {Verdict.ACCEPTED, Verdict.CANCELLED}
# Why a job is handed back that counts as a try, so that no job goes round for ever.
_COUNTED = {"failed", "disk_full"}

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


def judge_next(bench: Bench = bench, stop: Stopping = stopping) -> None:
    """Judge the most urgent submission that waits.

    Does nothing when none does, this host cannot, staff have drained it, the worker stops, or the database
    does not answer: then the sweep rings again.
    """
    close_old_connections()
    with stop:
        try:
            judge = None if stop.asked else bench.judge()
            if judge is None or not may_claim(node_name()):
                return
            if not (_take(services, judge, bench, stop) or _write(judge, bench, stop)):
                _take(hidden_runs, judge, bench, stop)
        except UNANSWERED as error:
            log.warning("nothing_claimed", error=str(error))
            connections.close_all()


def _take(docket: Docket[C], judge: Judge, bench: Bench, stop: Stopping) -> bool:
    claim = docket.claim(process_name(), gpu_models=judge.gpu_models)
    if claim is None:
        return False
    with watched(claim), pulse.holding(*_row_of(claim), claim.attempt):
        log.info("judging", problem=claim.submission.problem.slug, language=claim.submission.language)
        cancelled = Event()
        with Heartbeat(partial(docket.extend_lease, claim), cancelled, stop) as heartbeat:
            ending = _judge(docket, claim, judge, bench, cancelled)
            if heartbeat.stopped and ending.verdict in {None, Verdict.CANCELLED}:
                ending = _handed_back(docket, claim, "stopping")
            try:
                ending.settle(lambda: heartbeat.lost)
            except DatabaseError:  # it answers, and does not take what the report holds
                log.exception("verdict_refused")
                _handed_back(docket, claim, "failed").settle(lambda: heartbeat.lost)
    return True


def _row_of(claim: services.Claim) -> tuple[Kind, int]:
    if isinstance(claim, hidden_runs.HiddenClaim):
        return Kind.HIDDEN_RUNS, claim.run_id
    return Kind.SUBMISSIONS, claim.submission.pk


def _write(judge: Judge, bench: Bench, stop: Stopping) -> bool:
    """Work for those who write problems: a proof or a preview, or else an import."""

    def give_way() -> bool:
        while not stop.asked and may_claim(node_name()):
            if not _take(services, judge, bench, stop):
                return True
            if bench.judge() is not judge:  # closed after trouble
                return False
        return False

    return any(docket.take(judge, bench, stop, give_way=give_way) for docket in (proving, importing))


def _judge(docket: Docket[C], claim: C, judge: Judge, bench: Bench, cancelled: Event) -> Ending:
    """How the judgement ends."""
    try:
        report = _evaluate(docket, claim, judge, cancelled)
    except CANNOT_JUDGE as error:
        log.error("cannot_judge_here", fix=str(error))  # noqa: TRY400 - a traceback would bury the fix
        metrics.CANNOT_JUDGE.inc()
        bench.put_off(str(error))
        return _handed_back(docket, claim, "cannot_judge")
    except DATABASE_AWAY as error:
        log.warning("package_not_read", error=str(error))
        connections.close_all()
        return _handed_back(docket, claim, "package_not_read")
    except JudgeError as error:
        metrics.JUDGE_FAILURES.inc()
        log.exception("judging_failed", tries=claim.tries)
        return _handed_back(docket, claim, _why_it_failed(bench, error))
    except Exception as error:  # the task's boundary: our failure, whatever it is
        metrics.JUDGE_FAILURES.inc()
        log.exception("judging_failed", tries=claim.tries)
        bench.close()
        return _handed_back(docket, claim, _why_it_failed(bench, error))
    bench.worked()
    if report.verdict not in _TRUSTED and (fix := room.exhausted(settings.WARPCOURT)):
        log.error("disk_full", fix=fix, distrusted=report.verdict.value)
        return _handed_back(docket, claim, "disk_full")
    return Ending(partial(docket.record, claim, report), report.verdict)


def _evaluate(docket: Docket[C], claim: C, judge: Judge, cancelled: Event) -> Report:
    def tell(progress: Progress) -> None:
        if progress.kind not in _SHOWN:
            return
        place = {"index": progress.index, "total": progress.total} if progress.index is not None else {}
        try:
            docket.add_event(claim, EventKind(progress.kind), {"text": progress.text, **place})
        except services.LeaseLost:
            cancelled.set()
        except UNANSWERED as error:
            log.warning("progress_not_told", kind=progress.kind, error=str(error))
            connections.close_all()

    return judge.evaluate(claim.submission, on_progress=tell, cancelled=cancelled)


def _why_it_failed(bench: Bench, error: Exception) -> str:
    """`disk_full`, for which this host pauses, or `failed`. A disk that stays full `bench` sees by itself."""
    if not room.is_disk_full(error):
        return "failed"
    fix = room.shortage(settings.WARPCOURT) or f"{error}: make room on that disk"
    log.error("disk_full", fix=fix)
    bench.close(retry_in_s=FULL_S, trouble=fix)
    return "disk_full"


def _handed_back(docket: Docket[C], claim: C, reason: str) -> Ending:
    log.info("handing_back", reason=reason)
    metrics.HANDED_BACK.labels(reason=reason).inc()
    return Ending(partial(docket.hand_back, claim, failed=reason in _COUNTED))
