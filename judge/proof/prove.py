"""Proves a problem: correct programs pass, wrong ones fail, and trivial ones are rejected.

A problem is published only if its proof holds. Cheap checks come first: checks of the package's files, then
the reference in the oracle's sandbox, then the judging of every program.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from judge.drawn import inputs
from judge.dtypes import storage, widen
from judge.errors import CheckerFailed, OracleFailed
from judge.evaluate import evaluate
from judge.proof.accessibility import check_accessible
from judge.proof.batches.trials import ProgramBatches, Trial
from judge.proof.calibration import calibrate
from judge.proof.case_leaks import check_cases, check_contents_apart
from judge.proof.checker_audit import Accepts, accepting, check_checker
from judge.proof.coverage import check_coverage, check_shapes
from judge.proof.determinism import CaseDataSource, check_contents, check_poison, draw_exact
from judge.proof.hints import check_hints
from judge.proof.programs import CHECKS as PROGRAMS
from judge.proof.programs import ProgramEnvironment, try_programs
from judge.proof.results import (
    Proof,
    ProofCheck,
    ProofFinding,
    Section,
    SectionState,
    error,
    filed,
    state_of,
)
from judge.proof.statement_checks import (
    check_constraints,
    check_example,
    check_mentions,
    check_scalars,
    no_example,
)
from judge.proof.timed_sizes import DEFAULT_GPU, check_timed, find_gpu, measure_timed
from judge.report import ProgressEvent, Report
from judge.sizes import shape_of
from judge.target import Target
from problems.schema import Case, Problem
from problems.vocabulary import Language, Mode, Step

OnProgress = Callable[[ProgressEvent], None]
_NEED_REFERENCE = (ProofCheck.POISON, ProofCheck.TOLERANCES, ProofCheck.EXPOSURE, ProofCheck.STATEMENT)


class ProofEnvironment(ProgramEnvironment, Protocol):
    """The judging environment that a proof needs."""

    def oracle(self, problem: Problem) -> AbstractContextManager[CaseDataSource]:
        """Load the problem's reference in a sandbox."""

    def checker(self, problem: Problem) -> AbstractContextManager[Accepts]:
        """Load the problem's checker in a sandbox. Called only if the problem has a checker."""


@dataclass(frozen=True, slots=True)
class TargetEnvironment:
    """Judges on a target."""

    target: Target

    @property
    def on_gpu(self) -> bool:
        """Whether the target judges on a GPU."""
        return bool(self.target.gpu_models)

    def oracle(self, problem: Problem) -> AbstractContextManager[CaseDataSource]:
        """Load the problem's reference in the target's oracle sandbox."""
        return self.target.start_oracle(problem, lambda: False)

    def checker(self, problem: Problem) -> AbstractContextManager[Accepts]:
        """Load the problem's checker in a sandbox of its own."""
        return accepting(problem, partial(self.target.start_checker, problem))

    def judge(self, problem: Problem, source: str, language: Language) -> Report:
        """Judge a program as a submission is judged."""
        return evaluate(problem, source, language=language, mode=Mode.SUBMIT, target=self.target)

    def try_all(
        self, problem: Problem, sources: Sequence[str], language: Language, *, controls: Sequence[str]
    ) -> list[Trial]:
        """Try programs in batches on the target."""
        return ProgramBatches(problem, language, controls, self.target, self.judge).try_all(sources)


def prove(
    problem: Problem, target: Target, *, gpu: str = DEFAULT_GPU, on_progress: OnProgress = lambda _: None
) -> Proof:
    """Prove `problem` on `target`, with timed sizes that suit the model `gpu` (`judge.proof.timed_sizes`).

    `on_progress` is called from this thread: before every section, and before and after every program.

    Raises:
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs.
        judge.errors.JudgeError: the judge itself failed.
    """
    return prove_on(problem, TargetEnvironment(target), gpu=gpu, on_progress=on_progress)


def prove_on(
    problem: Problem,
    environment: ProofEnvironment,
    *,
    gpu: str = DEFAULT_GPU,
    on_progress: OnProgress = lambda _: None,
) -> Proof:
    """Prove `problem` in the given environment; see `prove`."""
    proof = examine(problem, environment, gpu=gpu, on_progress=on_progress)
    if any(section.state is SectionState.SKIPPED for section in proof.sections):
        return replace(proof, sections=(*proof.sections, *_skipped(*PROGRAMS)))
    return try_programs(problem, environment, proof, on_progress)


def examine(
    problem: Problem,
    environment: ProofEnvironment,
    *,
    gpu: str = DEFAULT_GPU,
    on_progress: OnProgress = lambda _: None,
) -> Proof:
    """Run the checks of `problem` that judge no program; see `prove`.

    If the author's code fails or is not deterministic, the sections that need it are skipped.
    """
    ledger = Ledger(on_progress)
    measured = measure_timed(problem, find_gpu(gpu))
    ledger.look(ProofCheck.COVERAGE, lambda: check_coverage(problem))
    ledger.look(ProofCheck.SHAPES, lambda: check_shapes(problem))
    ledger.look(ProofCheck.TIMED_SIZES, lambda: check_timed(problem, measured))
    ledger.look(ProofCheck.ACCESSIBILITY, lambda: check_accessible(problem))
    ledger.look(ProofCheck.HINTS, lambda: check_hints(problem))
    try:
        return replace(_examine_reference(problem, environment, ledger), timed_sizes=measured)
    except OracleFailed as failure:
        check, place = ProofCheck.CONTENTS, "reference.py"
        if isinstance(failure, CheckerFailed):
            check, place = ProofCheck.CHECKER, "checker.py"
        ledger.file(check, [error(place, str(failure), "correct it; checks that depend on it were not run")])
        ledger.skip(*_NEED_REFERENCE)
    return replace(ledger.proof(problem), timed_sizes=measured)


def _examine_reference(problem: Problem, environment: ProofEnvironment, ledger: "Ledger") -> Proof:
    """Run the checks of the reference's results. Raises OracleFailed."""
    exact = draw_exact(problem, environment.oracle)
    ledger.look(ProofCheck.CONTENTS, lambda: check_contents(problem, exact, environment.oracle))
    if ledger.state(ProofCheck.CONTENTS) is SectionState.FAILS:
        ledger.skip(*_NEED_REFERENCE)  # further findings would only follow from this one
        return ledger.proof(problem)
    ledger.look(ProofCheck.POISON, lambda: check_poison(problem, exact))
    with environment.checker(problem) if problem.checker is not None else nullcontext() as accepts:
        if accepts is not None:
            ledger.look(ProofCheck.CHECKER, lambda: check_checker(problem, exact, accepts))
        ledger.on_progress(ProgressEvent(Step.CHECKING, ProofCheck.TOLERANCES.heading))
        started = time.monotonic()
        calibrated = calibrate(problem, exact, environment.oracle, accepts)
        ledger.file(ProofCheck.TOLERANCES, calibrated.findings, started=started)
    ledger.look(
        ProofCheck.EXPOSURE,
        lambda: (*check_cases(problem), *check_contents_apart(problem, exact, environment.oracle)),
    )
    ledger.look(ProofCheck.STATEMENT, lambda: check_statement(problem, environment))
    return replace(ledger.proof(problem), tolerances=calibrated.reports)


@dataclass(slots=True)
class Ledger:
    """Collects findings by section."""

    on_progress: OnProgress
    findings: list[ProofFinding] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    def look(self, check: ProofCheck, look: Callable[[], Iterable[ProofFinding]]) -> None:
        """Report that `check` begins, run `look`, and keep its findings. Raises the errors of `look`."""
        self.on_progress(ProgressEvent(Step.CHECKING, check.heading))
        started = time.monotonic()
        self.file(check, look(), started=started)

    def skip(self, *checks: ProofCheck) -> None:
        """Mark `checks` that have not run as skipped."""
        known = {section.check for section in self.sections}
        self.sections += _skipped(*(check for check in checks if check not in known))

    def state(self, check: ProofCheck) -> SectionState:
        """Return the current state of the section `check`."""
        return state_of(finding for finding in self.findings if finding.check is check)

    def proof(self, problem: Problem) -> Proof:
        """Return the proof with all results until now."""
        return Proof(problem.slug, problem.version, tuple(self.findings), (), tuple(self.sections))

    def file(
        self, check: ProofCheck, findings: Iterable[ProofFinding], *, started: float | None = None
    ) -> None:
        """Keep `findings` as the section `check`, which took from `started` to now."""
        found = list(filed(check, findings))
        ms = 0.0 if started is None else (time.monotonic() - started) * 1000
        self.findings += found
        self.sections = [section for section in self.sections if section.check is not check]
        self.sections.append(Section(check, self.state(check), ms))


def _skipped(*checks: ProofCheck) -> tuple[Section, ...]:
    return tuple(Section(check, SectionState.SKIPPED) for check in checks)


def check_statement(problem: Problem, environment: ProofEnvironment) -> Iterator[ProofFinding]:
    """Check that the statement agrees with the package. Raises OracleFailed."""
    yield from check_mentions(problem)
    yield from check_constraints(problem)
    sample = next(case for case in problem.cases if case.public)
    if not (sample.inputs or sample.scalars):
        if problem.under_test is None:
            yield no_example(sample.name)
        return
    yield from check_scalars(problem, sample)
    with environment.oracle(problem) as oracle:
        yield from check_example(problem, sample.name, _arrays_of(problem, sample, oracle))


def _arrays_of(problem: Problem, case: Case, oracle: CaseDataSource) -> dict[str, npt.NDArray[np.generic]]:
    """Return the values of every array of a case: inputs as the problem states them, outputs as expected."""
    drawn = oracle.draw(case)
    arrays = {
        f"input {a.name}": widen(drawn.inputs[a.name].view(storage(a.dtype)), a.dtype).reshape(
            shape_of(a, case.sizes)
        )
        for a in inputs(problem)
    }
    return arrays | {f"output {name}": array for name, array in drawn.expected.items()}
