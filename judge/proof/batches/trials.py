"""Runs a batch on a target, or judges its programs separately if the batch cannot be trusted."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from judge.cases import run_orders
from judge.cpu.orders import check_in_orders
from judge.evidence.diagnostics import findings
from judge.proof.batches.text import LANGUAGES, WHICH, batch_text
from judge.report import CaseReport, Report
from judge.runner.checking import checker_answers
from judge.scalars import with_scalars
from judge.sizes import bytes_of, size_names
from judge.target import JudgingSession, Referee, Target
from problems.formula import Formula
from problems.rules import MAX_WIRE_ARGUMENTS
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Dtype, Group, Language, RequirementState, Role, Verdict
from sandbox.wire import RunFlag

MOST_PROGRAMS = 32  # in one batch: compile time grows faster than the length of a source
_MOST_FINDINGS = 5  # of a program that does not compile
_LONGEST_LOG = 8000  # characters; a proof has the logs of dozens of programs
_LONGEST_COMPILE_S = 240.0
_SEED = 1  # so that each trial of a program has the same contents

_WITHOUT_WHICH = f"""

_reference_of_one = reference


def reference(xp, **arguments):
    del arguments["{WHICH}"]
    return _reference_of_one(xp, **arguments)
"""

JudgeAlone = Callable[[Problem, str, Language], Report]


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one program of a batch. `verdict` is that of its first case that is not accepted.

    `message` begins with the name of that case. `ms` is the time of all cases. `findings` are the errors of a
    program that does not compile, one text for each. The other fields are only for programs that are judged
    alone: `cases` has the verdict of each case by name, `wrong` has the share of wrong elements of each wrong
    output in each case with a wrong answer, `log` is the beginning of the compiler's output, and `missed` has
    the indices of the problem's requirements that the program misses.
    """

    verdict: Verdict
    message: str = ""
    ms: float = 0.0
    findings: tuple[str, ...] = ()
    cases: Mapping[str, Verdict] = field(default_factory=dict)
    log: str = ""
    missed: tuple[int, ...] = ()
    wrong: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class _DoesNotCompile(Exception):
    """Raised if a batch does not compile, perhaps because of one of its programs."""


class _NotTrusted(Exception):
    """Raised if the programs might get other verdicts alone than in the batch."""


@dataclass(frozen=True, slots=True)
class ProgramBatches:
    """Tries programs of one problem and language together, on all cases except the timed ones.

    `controls` are programs that must be accepted, and are part of each batch. `judge_alone` judges a program
    as a submission.
    """

    problem: Problem
    language: Language
    controls: Sequence[str]
    target: Target
    judge_alone: JudgeAlone

    def try_all(self, sources: Sequence[str]) -> list[Trial]:
        """Return a trial for each of `sources`, in order.

        Raises:
            judge.errors.JudgeError: the judge itself failed.
            sandbox.backend.IsolationUnavailable: this host cannot isolate programs.
        """
        return [
            trial
            for start in range(0, len(sources), MOST_PROGRAMS)
            for trial in self._try(sources[start : start + MOST_PROGRAMS])
        ]

    def _try(self, sources: Sequence[str]) -> list[Trial]:
        if len(sources) > 1 and self.language in LANGUAGES and self._has_room():
            try:
                return self._batch(sources)
            except _DoesNotCompile:
                # One program is enough to spoil a batch. The programs of the other half still get a batch.
                half = len(sources) // 2
                return [*self._try(sources[:half]), *self._try(sources[half:])]
            except _NotTrusted:
                pass
        return [trial_of(self.judge_alone(self.problem, source, self.language)) for source in sources]

    def _has_room(self) -> bool:
        """Return whether a request has room for one more argument and one more size."""
        arguments = self.problem.arguments
        outputs = sum(argument.role in {Role.OUT, Role.INOUT} for argument in arguments)
        more = 2 + checker_answers(self.problem)
        return len(arguments) + len(size_names(self.problem)) + outputs + more <= MAX_WIRE_ARGUMENTS

    def _orders(self, case: Case) -> tuple[RunFlag, ...]:
        """Return the orders in which a submission runs `case`; see `judge.cpu.orders`."""
        return run_orders(self.problem, case, self.language, functional=not self.target.ranks)

    def _batch(self, sources: Sequence[str]) -> list[Trial]:
        programs = [*self.controls, *sources]
        problem, cases = with_choice(self.problem, len(programs))
        text = batch_text(problem, programs, self.language)
        built = self.target.build(problem, text, self.language, _no)
        if built.failure:
            raise _DoesNotCompile(built.message)
        session = self.target.session(problem, self.language, cases, _no, seed=_SEED)
        run = _Run(problem, session, built.contents, self._orders)
        with contextlib.closing(session), contextlib.closing(run):
            for control in range(len(self.controls)):
                _require_accepted(run.attempt(control, cases))
            trials = [run.attempt(number, cases) for number in range(len(self.controls), len(programs))]
            if self.controls:  # checks that the faulty programs have not changed the sandbox
                _require_accepted(run.attempt(0, cases[:1]))
            return trials


def trial_of(report: Report) -> Trial:
    """Return the trial that corresponds to a whole judgement."""
    case = next((case for case in report.cases if case.verdict is report.verdict), None)
    said = [case.name, case.message or report.message] if case else [report.message]
    message = ": ".join(filter(None, said))
    compiled = report.verdict is not Verdict.COMPILE_ERROR
    found = (
        () if compiled else tuple(finding.text for finding in findings(report.diagnostics)[:_MOST_FINDINGS])
    )
    ms = sum(stage.ms for stage in report.stages)
    verdicts = {case.name: case.verdict for case in report.cases}
    missed = tuple(
        at for at, checked in enumerate(report.requirements) if checked.state is RequirementState.MISSED
    )
    return Trial(
        report.verdict,
        message,
        ms,
        found,
        verdicts,
        report.log[:_LONGEST_LOG],
        missed,
        wrong={case.name: case.wrong_shares for case in report.cases if case.wrong_shares},
    )


def with_choice(problem: Problem, count: int) -> tuple[Problem, tuple[Case, ...]]:
    """Return `problem` with the argument that selects one of `count` programs, and the cases to draw.

    The cases are all untimed cases, small ones first. All programs share their contents.
    """
    which = Argument(WHICH, Role.SCALAR, Dtype.INT32, value=Formula.parse(WHICH))
    arrays = [argument for argument in problem.arguments if argument.role is not Role.SCALAR]
    # Scalars are drawn once, because all programs share the contents.
    checked = [with_scalars(problem, case, _SEED) for case in problem.cases if case.group is not Group.TIMED]
    checked.sort(key=lambda case: sum(bytes_of(array, case.sizes) for array in arrays))
    cases = tuple(_for_program(case, number) for number in range(count) for case in checked)
    derived = replace(
        problem,
        arguments=(*problem.arguments, which),
        cases=cases,  # cases of all programs, since the limits of a whole run depend on the number of cases
        reference=problem.reference + _WITHOUT_WHICH,
        limits=replace(
            problem.limits, compile_s=min(problem.limits.compile_s * (1 + count / 4), _LONGEST_COMPILE_S)
        ),
        version=f"{problem.version}-line-up-{count}",
    )
    return derived, cases[: len(checked)]


def _for_program(case: Case, number: int) -> Case:
    """Return `case` for one program.

    Only the case of the first program is drawn, so others need no literals.
    """
    return replace(case, sizes={**case.sizes, WHICH: number}, inputs={} if number else case.inputs)


@dataclass(slots=True)
class _Run:
    """The sandboxes of a batch, one after the other. Must be closed before its judging session."""

    problem: Problem
    session: JudgingSession
    contents: tuple[bytes, ...]
    orders: Callable[[Case], tuple[RunFlag, ...]]
    _referee: Referee | None = None

    def attempt(self, number: int, cases: Sequence[Case]) -> Trial:
        """Judge program `number` on `cases` up to the first case that is not accepted."""
        ms = 0.0
        for case in cases:
            report = self._check(case, number)
            ms += report.wall_ms or 0.0
            if report.verdict is not Verdict.ACCEPTED:
                return Trial(report.verdict, ": ".join(filter(None, [case.name, report.message])), ms)
        return Trial(Verdict.ACCEPTED, "", ms)

    def close(self) -> None:
        """End the current sandbox."""
        referee, self._referee = self._referee, None
        if referee is not None:
            referee.close()

    def _check(self, case: Case, number: int) -> CaseReport:
        referee = self._running()
        (drawn, *_) = self.session.sets(case)
        chosen = replace(drawn, case=_for_program(case, number))
        return check_in_orders(referee, chosen, self.orders(case), several=True)

    def _running(self) -> Referee:
        if self._referee is not None and self._referee.alive:
            return self._referee
        self.close()
        # Alone, because on a GPU, faults of these programs would end other users' programs.
        self._referee = self.session.start_referee(alone=True)
        self._referee.ready()
        if failed := self._referee.load(*self.contents):
            raise _NotTrusted(failed[1])
        return self._referee


def _require_accepted(trial: Trial) -> None:
    if trial.verdict is not Verdict.ACCEPTED:
        raise _NotTrusted(f"a control got {trial.verdict}: {trial.message}")


def _no() -> bool:
    return False
