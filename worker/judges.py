"""The judges of a worker: the real one on its target, or a scripted one for tests."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Protocol

import structlog
from django.conf import settings

from judge.errors import JudgementCancelled, OracleFailed
from judge.evaluate import evaluate
from judge.proof.importing import OnProblem, import_set, open_workshop
from judge.proof.preview import CaseWanted, Preview, preview
from judge.proof.programs import try_solutions
from judge.proof.prove import prove_on
from judge.proof.results import Proof
from judge.proof.timed_sizes import DEFAULT_GPU
from judge.report import CaseReport, ProgressEvent, Report, StageTime
from judge.sizes import CustomCaseInvalid
from judge.values import from_json
from problems.importing.report import Imported, ImportedProblem
from problems.loader import load_problem
from problems.schema import Problem
from problems.vocabulary import Group, Language, Mode, Step, Verdict
from sandbox.gpu.tool import Tool
from web.config import Config
from web.site.judging import board_key, open_configured, open_configured_backend, warm_settings
from web.submissions.models import Submission
from worker import packages, scripted, scripted_proving
from worker.cancelling import CancellableEnvironment
from worker.observing import count_ready, count_stage

log = structlog.get_logger(__name__)

OnProgress = Callable[[ProgressEvent], None]


class Judge(Protocol):
    """Turns a submission into a report."""

    @property
    def gpu_models(self) -> tuple[str, ...]:
        """Return the models of GPUs that it can judge on now."""

    def evaluate(self, submission: Submission, *, on_progress: OnProgress, cancelled: Event) -> Report:
        """Judge `submission`; any exception is a failure of the judge."""

    def prove(self, problem: Problem, *, gpu: str, on_progress: OnProgress, cancelled: Event) -> Proof:
        """Prove `problem` for a GPU of model `gpu`, empty for the default.

        Raises:
            judge.errors.OracleFailed: the author's code failed in a part that the proof does not test.
            judge.errors.JudgementCancelled: soon after `cancelled` was set.
        """

    def try_solutions(
        self, problem: Problem, files: Sequence[str], *, on_progress: OnProgress, cancelled: Event
    ) -> Proof:
        """Judge the solutions `files` of `problem` without a proof. Raises as `prove` does."""

    def preview(self, problem: Problem, wanted: CaseWanted, *, cancelled: Event) -> Preview:
        """Draw one case of `problem` and describe it. Raises as `prove` does, and PreviewRefused."""

    def import_set(
        self,
        format_name: str,
        folder: Path,
        *,
        scale: bool,
        done: Sequence[ImportedProblem],
        on_problem: OnProblem,
        cancelled: Event,
    ) -> Generator[Imported, None, None]:
        """Import every problem below `folder` that is not `done`; see `judge.proof.importing.import_set`."""

    def close(self) -> None:
        """Close it and end its processes."""


REFERENCE_FAILED = (
    "The problem's reference or checker fails for this custom case, or takes longer than a minute. "
    "Choose smaller or other sizes, or other values."
)


class PackageJudge:
    """Judges by the versions of problems, on a target kept open."""

    def __init__(
        self, config: Config, *, folder_of: Callable[[Submission], Path] = packages.folder_of
    ) -> None:
        """Open the target. `folder_of` returns the folder of the package that judges a submission.

        Raises:
            sandbox.backend.IsolationUnavailable: this host cannot isolate programs. The message has the fix.
            sandbox.toolchain.ToolchainMissing: a tool is missing. The message has the command to install it.
        """
        self._config = config
        self._folder_of = folder_of
        self._target = open_configured(config, warm=warm_settings(config))

    @property
    def gpu_models(self) -> tuple[str, ...]:
        """Return the models of the target's healthy GPUs."""
        return self._target.gpu_models

    def evaluate(self, submission: Submission, *, on_progress: OnProgress, cancelled: Event) -> Report:
        """Judge `submission` against the version of its problem that it is pinned to."""
        problem = load_problem(self._folder_of(submission))
        before, gpu_models = self._target.metrics, self._target.gpu_models
        stages: list[StageTime] = []

        def end_stage(stage: StageTime) -> None:
            stages.append(stage)
            count_stage(stage)

        try:
            report = evaluate(
                problem,
                submission.source,
                language=Language(submission.language),
                mode=Mode(submission.mode),
                target=self._target,
                sizes=submission.sizes,
                values=from_json(submission.values or {}),
                seed=submission.seed,
                gpu_model=submission.gpu_model,
                tool=Tool.PROFILER if submission.profiled else None,
                board_key=board_key(self._config),
                on_progress=on_progress,
                on_stage=end_stage,
                cancelled=cancelled,
            )
        except CustomCaseInvalid as error:
            return Report(Verdict.REJECTED, str(error))
        except OracleFailed:
            if not submission.sizes:
                raise
            log.warning("reference_failed_on_custom_case", problem=problem.slug, exc_info=True)
            # The user chose the case, so its stages until the failure are charged.
            report = Report(Verdict.REJECTED, REFERENCE_FAILED, tuple(stages), environment=_used(gpu_models))
        changes = _changes(before, self._target.metrics)
        count_ready(changes)
        log.info("judge_metrics_recorded", **changes)
        return replace(report, environment={**report.environment, "problem_version": problem.version})

    def prove(self, problem: Problem, *, gpu: str, on_progress: OnProgress, cancelled: Event) -> Proof:
        """Prove `problem` on the target."""
        environment = CancellableEnvironment(self._target, cancelled, on_progress)
        return prove_on(problem, environment, gpu=gpu or DEFAULT_GPU, on_progress=on_progress)

    def try_solutions(
        self, problem: Problem, files: Sequence[str], *, on_progress: OnProgress, cancelled: Event
    ) -> Proof:
        """Judge solutions on the target."""
        environment = CancellableEnvironment(self._target, cancelled, on_progress)
        return try_solutions(problem, files, environment, on_progress)

    def preview(self, problem: Problem, wanted: CaseWanted, *, cancelled: Event) -> Preview:
        """Draw one case in the target's oracle sandbox."""
        return preview(problem, wanted, CancellableEnvironment(self._target, cancelled).oracle)

    def import_set(
        self,
        format_name: str,
        folder: Path,
        *,
        scale: bool,
        done: Sequence[ImportedProblem],
        on_problem: OnProblem,
        cancelled: Event,
    ) -> Generator[Imported, None, None]:
        """Check each problem in its own sandbox, with PyTorch, which many sets need."""
        with (
            open_workshop(open_configured_backend(self._config), scale=scale) as workshop,
            closing(import_set(format_name, folder, workshop, done=done, on_problem=on_problem)) as problems,
        ):
            for imported in problems:
                if cancelled.is_set():
                    raise JudgementCancelled
                yield imported

    def close(self) -> None:
        """Close the target."""
        self._target.close()


def _used(gpu_models: Sequence[str]) -> dict[str, str]:
    """Return the `environment` of a report if the GPU is not known: all models of this node."""
    return {"gpu": " or ".join(gpu_models)} if gpu_models else {}


def _changes(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """Return the increase of each counter that changed: hits and misses of this judgement."""
    changes = {name: count - before.get(name, 0) for name, count in after.items()}
    return {name: change for name, change in changes.items() if change}


class ScriptedJudge:
    """Runs no program: words in the source determine the result. For tests of all code around the judge.

    A source consists of words such as `wrong_answer`, the verdict; `sleep=2.5`, the time to take in seconds;
    `fail`, to fail as the judge itself may fail; `freeze`, to block the interpreter for ever. Without a
    verdict it is accepted. `worker.scripted` has more words.
    """

    gpu_models = scripted.GPU_MODELS

    def evaluate(self, submission: Submission, *, on_progress: OnProgress, cancelled: Event) -> Report:
        """Return the report that the words in the source request."""
        verdict = Verdict.ACCEPTED
        words = submission.source.split()
        on_progress(ProgressEvent(Step.COMPILING, "Compiling"))
        _hold(words, "compiling", cancelled)
        on_progress(ProgressEvent(Step.COMPILED, "Compiled"))
        for word in words:
            if word == "fail":
                raise RuntimeError("the source asked for it")
            if word.startswith("sleep="):
                cancelled.wait(float(word.removeprefix("sleep=")))
            if word in {*Verdict}:
                verdict = Verdict(word)
        if cancelled.is_set():
            return Report(Verdict.CANCELLED, "Cancelled.")
        cases = self._check(submission, verdict, on_progress, cancelled)
        if cancelled.is_set():
            return Report(Verdict.CANCELLED, "Cancelled.")
        for progress in scripted.announce(words):
            on_progress(progress)
            if progress.kind == "timing":
                _hold(words, "ranking", cancelled)
        if cancelled.is_set():
            return Report(Verdict.CANCELLED, "Cancelled.")
        report = Report(verdict, cases=cases, environment={"target": "scripted"})
        return scripted.measure(scripted.decorate(report, words), words)

    def _check(
        self, submission: Submission, verdict: Verdict, on_progress: OnProgress, cancelled: Event
    ) -> tuple[CaseReport, ...]:
        words, cases = submission.source.split(), []
        if "freeze" in words:
            scripted.freeze()
        total, pace_s = int(scripted.number(words, "cases", 1)), scripted.number(words, "pace", 0)
        for index in range(1, total + 1):
            started = time.monotonic()
            on_progress(ProgressEvent(Step.CASE, f"Case {index} of {total}", index, total))
            _hold(words, "checking", cancelled)
            cancelled.wait(pace_s)
            elapsed_ms = (time.monotonic() - started) * 1000
            name = "sample" if total == 1 else f"sample {index}"
            sizes = submission.sizes or {}
            cases.append(CaseReport(name, Group.SAMPLE, True, verdict, sizes=sizes, wall_ms=elapsed_ms))
        return tuple(cases)

    def prove(self, problem: Problem, *, gpu: str, on_progress: OnProgress, cancelled: Event) -> Proof:  # noqa: ARG002 - there is none
        """Prove nothing: words in the reference determine the findings."""
        return scripted_proving.prove(problem, on_progress=on_progress, gate=_gate(cancelled))

    def try_solutions(
        self, problem: Problem, files: Sequence[str], *, on_progress: OnProgress, cancelled: Event
    ) -> Proof:
        """Run nothing: each solution gets its expected verdict."""
        gate = _gate(cancelled)
        return scripted_proving.try_solutions(problem, files, on_progress=on_progress, gate=gate)

    def preview(self, problem: Problem, wanted: CaseWanted, *, cancelled: Event) -> Preview:
        """Draw nothing."""
        return scripted_proving.preview(problem, wanted, gate=_gate(cancelled))

    def import_set(
        self,
        format_name: str,
        folder: Path,
        *,
        scale: bool,
        done: Sequence[ImportedProblem],
        on_problem: OnProblem,
        cancelled: Event,
    ) -> Generator[Imported, None, None]:
        """Accept each folder with a problem.toml as a package, unless it contains `refuse`."""
        gate = _gate(cancelled)
        return scripted_proving.import_set(
            format_name, folder, scale=scale, done=done, on_problem=on_problem, gate=gate
        )

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _gate(cancelled: Event) -> scripted_proving.Gate:
    return scripted_proving.Gate(settings.WARPCOURT.runtime_dir, cancelled)


def _hold(words: Sequence[str], stage: str, cancelled: Event) -> None:
    scripted.hold(words, stage, gates=settings.WARPCOURT.runtime_dir, cancelled=cancelled)
