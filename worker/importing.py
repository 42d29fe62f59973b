"""One import of a set, from claim to report.

Theory of operation. As in `worker.proving`: a claim, a heartbeat, one write at the end. A set takes minutes,
so it gives way to submissions between two problems. What is wrong with a problem is in the report; what is
wrong with the upload, or a folder that is not there, is told to who asked. All else is ours, and tried again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event

import structlog
from django.conf import settings
from django.db import DatabaseError, connections

from judge.errors import JudgeError, JudgementCancelled
from judge.proof.importing import UnknownFormat
from problems.importing.upload import SetInvalid, unpacked_set
from web import metrics
from web.importing import docket
from web.importing.docket import ImportClaim
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


class FolderMissing(Exception):
    """Raised when a folder of sets is not there, or leads out of the directory that the operator named."""


def take(judge: Judge, bench: Bench, stop: Stopping, *, give_way: GiveWay) -> bool:
    """Import a set that waits, if there is one. `give_way` is that of `worker.proving.take`."""
    claim = docket.claim(process_name())
    if claim is None:
        return False
    with structlog.contextvars.bound_contextvars(import_id=claim.run.pk, import_attempt=claim.attempt):
        log.info("importing", format=claim.run.format)
        cancelled = Event()
        limit_s = settings.WARPCOURT.proof_limit_s
        with (
            pulse.holding(Kind.IMPORTS, claim.run.pk, claim.attempt),
            Heartbeat(partial(docket.extend_lease, claim), cancelled, stop, limit_s=limit_s) as heartbeat,
        ):
            ending = _run(claim, judge, bench, cancelled, give_way)
            try:
                ending.settle(lambda: heartbeat.lost)
            except DatabaseError:  # it answers, and does not take what came in
                log.exception("import_refused")
                _handed_back(claim, failed=True).settle(lambda: heartbeat.lost)
    return True


def _run(claim: ImportClaim, judge: Judge, bench: Bench, cancelled: Event, give_way: GiveWay) -> Ending:
    try:
        with _folder(claim) as folder:
            tell = _Teller(claim, cancelled, give_way)
            run = claim.run
            imported = judge.import_set(
                run.format, folder, scale=run.scale, on_problem=tell, cancelled=cancelled
            )
            found = list(imported)
        return Ending(partial(docket.record, claim, found))
    except (SetInvalid, FolderMissing, UnknownFormat) as error:
        return Ending(partial(docket.record_failure, claim, f"{error}."))
    except JudgementCancelled:
        return _handed_back(claim, failed=False)
    except CANNOT_JUDGE as error:
        log.error("cannot_judge_here", fix=str(error))  # noqa: TRY400 - a traceback would bury the fix
        metrics.CANNOT_JUDGE.inc()
        bench.put_off(str(error))
        return _handed_back(claim, failed=False)
    except JudgeError:
        metrics.JUDGE_FAILURES.inc()
        log.exception("importing_failed", tries=claim.tries)
        return _handed_back(claim, failed=True)
    except Exception:  # the task's boundary: our failure, whatever it is
        metrics.JUDGE_FAILURES.inc()
        log.exception("importing_failed", tries=claim.tries)
        bench.close()
        return _handed_back(claim, failed=True)


@contextmanager
def _folder(claim: ImportClaim) -> Iterator[Path]:
    """The set as a folder of this host."""
    if not claim.run.folder:
        with unpacked_set(bytes(claim.run.archive or b"")) as folder:
            yield folder
        return
    root = settings.WARPCOURT.imports_dir.resolve()
    folder = (root / claim.run.folder).resolve()
    if not folder.is_relative_to(root) or not folder.is_dir():
        raise FolderMissing(f"there is no folder {claim.run.folder} below WARPCOURT_IMPORTS_DIR on this host")
    yield folder


class _Teller:
    """Tells which problem is looked at, gives way in between, and ends it when it was given up."""

    def __init__(self, claim: ImportClaim, cancelled: Event, give_way: GiveWay) -> None:
        self._claim = claim
        self._cancelled = cancelled
        self._give_way = give_way

    def __call__(self, number: int, total: int, place: str) -> None:
        """Called before every problem."""
        if self._cancelled.is_set() or not self._go_on(f"{number} of {total}: {place}"):
            raise JudgementCancelled
        if self._cancelled.is_set():
            raise JudgementCancelled

    def _go_on(self, text: str) -> bool:
        try:
            docket.tell(self._claim, text)
            return self._give_way()
        except LeaseLost:
            return False
        except UNANSWERED as error:  # for a while; the heartbeat says when it is too long
            log.warning("progress_not_told", error=str(error))
            connections.close_all()
            return True


def _handed_back(claim: ImportClaim, *, failed: bool) -> Ending:
    reason = "failed" if failed else "stopping"
    log.info("handing_back", reason=reason)
    metrics.HANDED_BACK.labels(reason=reason).inc()
    return Ending(partial(docket.hand_back, claim, failed=failed))
