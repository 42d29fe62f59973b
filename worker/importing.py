"""Imports a set of problems.

Theory of operation. A set takes minutes, so the worker judges submissions between two problems. Each problem
is stored as soon as it is done. If the worker is lost, the next one continues after the stored problems. The
report contains the errors of a problem. The owner sees errors of the upload. If this host does not have the
folder to import, a worker on another host takes the import. Every other failure is a failure of the judge
(`worker.run`).
"""

import math
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path

import structlog
from django.conf import settings

from judge.errors import JudgementCancelled
from judge.proof.importing import UnknownFormat
from problems.importing.report import ImportedProblem
from problems.importing.upload import SetInvalid, unpacked_set
from web.importing.models import ImportRun
from web.importing.queue import RightLost, problems_of, queue
from web.jobs.queue import LeaseLost
from worker.final_write import FinalWrite
from worker.pulse import PulseKind
from worker.run import RequirementMissing, Running, Work

log = structlog.get_logger(__name__)

_ENOUGH = 3  # problems after which the remaining time is estimated


def _import(running: Running[ImportRun]) -> FinalWrite:
    run, by, cancelled = running.job, running.job.by, running.cancelled
    if by is None:  # the account was deleted in the meantime
        return FinalWrite(
            partial(queue.record_failure, run, "The user who requested this import was deleted.")
        )
    done = [ImportedProblem.of_json(entry) for entry in problems_of(run)]
    log.info("import_started", format=run.format, problems_done=len(done))

    begun_s = time.monotonic()

    def show(number: int, total: int, place: str) -> None:
        spent_s, before = time.monotonic() - begun_s, len(done)
        left = time_left(spent_s, done=number - 1 - before, total=total - before)
        running.step(partial(queue.show_progress, run, f"{number} of {total}: {place}{left}"))

    try:
        with _folder(run) as folder:
            judge = running.context.judge
            imported = judge.import_set(
                run.format, folder, scale=run.scale, done=done, on_problem=show, cancelled=cancelled
            )
            with closing(imported):
                for problem in imported:
                    queue.record_problem(run, by, problem)
        return FinalWrite(partial(queue.record, run))
    except LeaseLost as error:
        raise JudgementCancelled from error
    except RightLost as error:
        return FinalWrite(partial(queue.record_failure, run, str(error)))
    except (SetInvalid, UnknownFormat) as error:
        return FinalWrite(partial(queue.record_failure, run, f"{error}."))


def time_left(spent_s: float, *, done: int, total: int) -> str:
    """Return the estimated time for the rest of a set, from the `done` problems, as the end of a text."""
    if done < _ENOUGH:
        return ""
    minutes = math.ceil(spent_s / done * (total - done) / 60)
    return f", about {minutes} min left"


@contextmanager
def _folder(run: ImportRun) -> Iterator[Path]:
    """Yield the set as a folder of this host.

    Raises:
        RequirementMissing: the folder is missing, or is outside the directory that the operator configured.
    """
    if not run.folder:
        with unpacked_set(bytes(run.archive or b"")) as folder:
            yield folder
        return
    root = settings.WARPCOURT.imports_dir.resolve()
    folder = (root / run.folder).resolve()
    if not folder.is_relative_to(root) or not folder.is_dir():
        raise RequirementMissing(f"the folder {run.folder} below WARPCOURT_IMPORTS_DIR")
    yield folder


def _named(run: ImportRun) -> AbstractContextManager[object]:
    return structlog.contextvars.bound_contextvars(import_id=run.pk, import_attempt=run.attempt)


WORK = Work(PulseKind.IMPORTS, queue, _import, _named, limit_s=lambda: settings.WARPCOURT.proof_limit_s)
