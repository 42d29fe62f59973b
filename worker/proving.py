"""Runs a proof, a trial of solutions or a preview of a workspace.

Theory of operation. If a reference fails, its author sees the location and the job is not retried. Every
other failure is a failure of the judge (`worker.run`). A proof judges dozens of programs and lets submissions
run between two of them. If the worker stops or its node is drained, it returns the proof to the queue at such
a moment.
"""

import time
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import structlog
from django.conf import settings

from judge.errors import OracleFailed
from judge.proof.preview import CaseWanted, PreviewRefused
from judge.proof.results import to_json
from judge.report import ProgressEvent
from problems.contents import as_folder
from problems.faults import PackageInvalid
from problems.loader import load_problem
from web.authoring.models import ProofRun, RunKind
from web.authoring.queue import contents_of, queue
from worker.final_write import FinalWrite
from worker.pulse import PulseKind
from worker.run import Running, Work

log = structlog.get_logger(__name__)


def _prove(running: Running[ProofRun]) -> FinalWrite:
    run = running.job
    log.info("proof_started", kind=run.kind, problem=run.workspace.slug)
    try:
        return _result(running)
    except (OracleFailed, PackageInvalid, PreviewRefused) as error:
        log.info("proof_refused", reason=type(error).__name__)
        return FinalWrite(partial(queue.record_failure, run, str(error)))


def _result(running: Running[ProofRun]) -> FinalWrite:
    run, judge, cancelled = running.job, running.context.judge, running.cancelled
    with as_folder(contents_of(run)) as folder:
        problem = load_problem(folder)
        if run.kind == RunKind.PREVIEW:
            shown = judge.preview(problem, CaseWanted.from_json(run.wanted), cancelled=cancelled)
            return FinalWrite(partial(queue.record, run, shown.to_json()))
        if run.kind == RunKind.TRIAL:
            files, steps = run.wanted["files"], _Steps(running)
            tried = judge.try_solutions(problem, files, on_progress=steps, cancelled=cancelled)
            return FinalWrite(partial(queue.record, run, to_json(tried), holds=tried.holds))
        gpu = run.wanted.get("gpu", "")
        proof = judge.prove(problem, gpu=gpu, on_progress=_Steps(running), cancelled=cancelled)
        return FinalWrite(partial(queue.record, run, to_json(proof), holds=proof.holds))


class _Steps:
    """Shows the steps of a proof."""

    def __init__(self, running: Running[ProofRun]) -> None:
        self._running = running
        self._started = time.monotonic()
        self._steps: list[dict[str, Any]] = []

    def __call__(self, progress: ProgressEvent) -> None:
        """Record a step, and run more urgent jobs. Called before and after every part of a proof."""
        self._steps.append(
            {
                "kind": progress.kind,
                "text": progress.text,
                "index": progress.index,
                "total": progress.total,
                "at_s": round(time.monotonic() - self._started, 1),
            }
        )
        self._running.step(partial(queue.show_steps, self._running.job, self._steps))


def _named(run: ProofRun) -> AbstractContextManager[object]:
    return structlog.contextvars.bound_contextvars(run_id=run.pk, run_attempt=run.attempt)


WORK = Work(PulseKind.PROOFS, queue, _prove, _named, limit_s=lambda: settings.WARPCOURT.proof_limit_s)
