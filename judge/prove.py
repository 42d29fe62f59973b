"""Proves a problem: that right programs pass, wrong ones fail, and nothing trivial slips through.

A problem is published only when its proof holds. The order is from cheap to dear: what can be read
from the package, then the reference in the oracle's sandbox, then every program through the judge.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from judge.coverage import check_coverage, check_shapes
from judge.drawn import inputs
from judge.elements import storage, widen
from judge.errors import OracleFailed
from judge.evaluate import evaluate
from judge.exposition import check_example, check_mentions, no_example
from judge.precision import Draws, check_contents
from judge.proof import (
    Check,
    Finding,
    Outcome,
    Proof,
    Section,
    State,
    error,
    filed,
    state_of,
    warning,
)
from judge.report import Progress, Report
from judge.sizes import shape_of
from judge.target import Target
from judge.timed_sizes import DEFAULT_GPU, check_timed, find_gpu, measure_timed
from judge.trivial import Trivial, trivial_programs
from problems.schema import Case, Problem, Solution
from problems.vocabulary import Language, Mode, Verdict

OnProgress = Callable[[Progress], None]
_NEED_REFERENCE = (Check.TOLERANCES, Check.EXPOSURE)
_PROGRAMS = (Check.SOLUTIONS, Check.TRIVIAL)


class Bench(Protocol):
    """What proving needs of a place to judge on."""

    def oracle(self, problem: Problem) -> AbstractContextManager[Draws]:
        """Load the problem's reference, isolated."""

    def judge(self, problem: Problem, source: str, language: Language) -> Report:
        """Judge a program on all cases."""


@dataclass(frozen=True, slots=True)
class TargetBench:
    """The bench that a target offers."""

    target: Target

    def oracle(self, problem: Problem) -> AbstractContextManager[Draws]:
        """Load the problem's reference in the target's oracle sandbox."""
        return self.target.start_oracle(problem, lambda: False)

    def judge(self, problem: Problem, source: str, language: Language) -> Report:
        """Judge a program as a submission is judged."""
        return evaluate(problem, source, language=language, mode=Mode.SUBMIT, target=self.target)


def prove(
    problem: Problem, target: Target, *, gpu: str = DEFAULT_GPU, on_progress: OnProgress = lambda _: None
) -> Proof:
    """Prove `problem` on `target`, with timed sizes that suit the model `gpu` (`judge.timed_sizes`).

    `on_progress` is called from this thread: before every section, and before and after every program.

    Raises:
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs.
        judge.errors.JudgeError: the judge itself failed.
    """
    return prove_on(problem, TargetBench(target), gpu=gpu, on_progress=on_progress)


def prove_on(
    problem: Problem, bench: Bench, *, gpu: str = DEFAULT_GPU, on_progress: OnProgress = lambda _: None
) -> Proof:
    """Prove `problem` on a bench of the caller's own; see `prove`."""
    proof = examine(problem, bench, gpu=gpu, on_progress=on_progress)
    if any(section.state is State.SKIPPED for section in proof.sections):
        return replace(proof, sections=(*proof.sections, *_skipped(*_PROGRAMS)))
    return _try_programs(problem, bench, proof, on_progress)


def examine(
    problem: Problem, bench: Bench, *, gpu: str = DEFAULT_GPU, on_progress: OnProgress = lambda _: None
) -> Proof:
    """What can be said of `problem` without judging a program; see `prove`.

    When the author's code breaks, the sections that need it are skipped.
    """
    ledger = Ledger(on_progress)
    measured = measure_timed(problem, find_gpu(gpu))
    ledger.look(Check.COVERAGE, lambda: check_coverage(problem))
    ledger.look(Check.SHAPES, lambda: check_shapes(problem))
    ledger.look(Check.TIMED_SIZES, lambda: check_timed(problem, measured))
    ledger.look(Check.STATEMENT, lambda: check_mentions(problem))
    try:
        ledger.look(Check.CONTENTS, lambda: check_reference(problem, bench))
    except OracleFailed as failure:
        broken = error("reference.py", str(failure), "correct it; nothing else was tried")
        ledger.file(Check.CONTENTS, [broken])
        ledger.sections += _skipped(*_NEED_REFERENCE)
    return Proof(
        problem.slug,
        problem.version,
        tuple(ledger.findings),
        (),
        tuple(ledger.sections),
        timed_sizes=measured,
    )


@dataclass(slots=True)
class Ledger:
    """Findings by section, as they come in."""

    on_progress: OnProgress
    findings: list[Finding] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    def look(self, check: Check, look: Callable[[], Iterable[Finding]]) -> None:
        """Say that `check` is looked into, do it, and keep what is found. Raises what `look` raises."""
        self.on_progress(Progress("checking", check.title))
        started = time.monotonic()
        self.file(check, look(), started=started)

    def file(self, check: Check, findings: Iterable[Finding], *, started: float | None = None) -> None:
        """Keep `findings` as the section `check`, which took from `started` to now."""
        found = list(filed(check, findings))
        ms = 0.0 if started is None else (time.monotonic() - started) * 1000
        self.findings += found
        self.sections.append(Section(check, state_of(found), ms))


def _skipped(*checks: Check) -> tuple[Section, ...]:
    return tuple(Section(check, State.SKIPPED) for check in checks)


def _try_programs(problem: Problem, bench: Bench, proof: Proof, on_progress: OnProgress) -> Proof:
    """`proof` with what every program got."""
    programs: list[Solution | Trivial] = [*problem.solutions, *trivial_programs(problem)]
    findings: dict[Check, list[Finding]] = {check: [] for check in _PROGRAMS}
    outcomes: list[Outcome] = []
    ms = dict.fromkeys(_PROGRAMS, 0.0)
    for index, program in enumerate(programs, start=1):
        name = name_of(program)
        check = Check.SOLUTIONS if isinstance(program, Solution) else Check.TRIVIAL
        on_progress(Progress("checking", name, index, len(programs)))
        started = time.monotonic()
        outcome = try_program(problem, program, bench)
        ms[check] += (time.monotonic() - started) * 1000
        outcomes.append(outcome)
        findings[check] += filed(check, findings_on(outcome))
        mark = "as expected" if outcome.holds else "NOT as expected"
        text = f"{name}: {outcome.verdict}, {mark}"
        on_progress(Progress("checked", text, index, len(programs)))
    return replace(
        proof,
        findings=(*proof.findings, *(finding for found in findings.values() for finding in found)),
        outcomes=tuple(outcomes),
        sections=(*proof.sections, *(Section(c, state_of(findings[c]), ms[c]) for c in _PROGRAMS)),
    )


def check_reference(problem: Problem, bench: Bench) -> Iterator[Finding]:
    """Findings on the reference, the tolerances and the example. Raises OracleFailed."""
    yield from check_contents(problem, bench.oracle)
    sample = next(case for case in problem.cases if case.public)
    if not sample.inputs:
        yield no_example(sample.name)
        return
    with bench.oracle(problem) as oracle:
        yield from check_example(problem, sample.name, _arrays_of(problem, sample, oracle))


def _arrays_of(problem: Problem, case: Case, oracle: Draws) -> dict[str, npt.NDArray[np.generic]]:
    """The values of every array of a case: inputs as the problem states them, outputs as expected."""
    drawn = oracle.draw(case)
    arrays = {
        f"input {a.name}": widen(drawn.inputs[a.name].view(storage(a.dtype)), a.dtype).reshape(
            shape_of(a, case.sizes)
        )
        for a in inputs(problem)
    }
    return arrays | {f"output {name}": array for name, array in drawn.expected.items()}


def name_of(program: Solution | Trivial) -> str:
    """What to call a program in messages."""
    if isinstance(program, Solution):
        return f"solutions/{program.path.name}"
    return f"{program.name} ({program.language})"


def try_program(problem: Problem, program: Solution | Trivial, bench: Bench) -> Outcome:
    """Judge one program."""
    if isinstance(program, Solution):
        source, expected = program.path.read_text(encoding="utf-8"), program.verdict
    else:
        source, expected = program.source, None
    report = bench.judge(problem, source, program.language)
    case = next((c.name for c in report.cases if c.verdict is report.verdict), "")
    return Outcome(
        program=name_of(program),
        language=program.language,
        expected=expected,
        verdict=report.verdict,
        message=": ".join(filter(None, [case, report.message])),
        ms=sum(stage.ms for stage in report.stages),
    )


def findings_on(outcome: Outcome) -> Iterator[Finding]:
    """What a program's outcome says about the problem."""
    said = f": {outcome.message}" if outcome.message else ""
    if outcome.expected is not None:
        if not outcome.holds:
            yield error(
                outcome.program,
                f"must get {outcome.expected}, got {outcome.verdict}{said}",
                "correct the program, its verdict, or the cases and tolerances that let it through",
            )
    elif outcome.verdict is Verdict.ACCEPTED:
        yield error(
            f"trivial program {outcome.program}",
            "is accepted",
            "lower the tolerance, or add cases whose outputs differ from it",
        )
    elif outcome.verdict is not Verdict.WRONG_ANSWER:
        yield warning(
            f"trivial program {outcome.program}",
            f"got {outcome.verdict} rather than wrong_answer{said}",
            "look whether its answer was compared at all",
        )
