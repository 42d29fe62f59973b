"""Runs a line-up on a target, and judges its programs apart where that cannot be done."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from judge.evaluate import flags_for
from judge.lineup.text import LANGUAGES, WHICH, line_up_text
from judge.report import CaseReport, Report
from judge.sizes import bytes_of, size_names
from judge.target import Referee, Seat, Target
from problems.formula import Formula
from problems.rules import MAX_WIRE_ARGUMENTS
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Dtype, Group, Language, Role, Verdict

MOST_PROGRAMS = 32  # in one line-up: compilers take more than their share of time for very long sources
_LONGEST_COMPILE_S = 240.0

_WITHOUT_WHICH = f"""

_reference_of_one = reference


def reference(xp, **arguments):
    del arguments["{WHICH}"]
    return _reference_of_one(xp, **arguments)
"""

JudgeAlone = Callable[[Problem, str, Language], Report]


@dataclass(frozen=True, slots=True)
class Program:
    """A source in a line-up. A `control` must be accepted, or the line-up is not to be trusted."""

    source: str
    control: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """What one program of a line-up got: the verdict of its first case that was not accepted.

    `message` begins with the name of that case. `ms` is the time that its cases took.
    """

    verdict: Verdict
    message: str = ""
    ms: float = 0.0


class _Unusable(Exception):
    """Raised when a line-up says nothing about its programs."""


def try_all(
    problem: Problem,
    programs: Sequence[Program],
    language: Language,
    *,
    target: Target,
    judge_alone: JudgeAlone,
) -> Iterator[Trial]:
    """What each of `programs` gets, in their order, on all cases but the timed ones.

    `judge_alone` judges one program as a submission; it is used where a line-up is of no use. The trials of
    a line-up come when all of its programs are done.

    Raises:
        judge.errors.JudgeError: the judge itself failed.
        sandbox.backend.IsolationUnavailable: this host cannot isolate programs.
    """
    problem = replace(problem, cases=tuple(c for c in problem.cases if c.group is not Group.TIMED))
    for start in range(0, len(programs), MOST_PROGRAMS):
        chunk = programs[start : start + MOST_PROGRAMS]
        yield from _try_chunk(problem, chunk, language, target, judge_alone)


def trial_of(report: Report) -> Trial:
    """The trial that a whole judgement stands for."""
    case = next((case.name for case in report.cases if case.verdict is report.verdict), "")
    message = ": ".join(filter(None, [case, report.message]))
    return Trial(report.verdict, message, sum(stage.ms for stage in report.stages))


def _try_chunk(
    problem: Problem,
    programs: Sequence[Program],
    language: Language,
    target: Target,
    judge_alone: JudgeAlone,
) -> list[Trial]:
    if len(programs) > 1 and language in LANGUAGES and _has_room(problem):
        with contextlib.suppress(_Unusable):
            return _line_up(problem, programs, language, target)
        # One that does not compile spoils it for the others: those of the other half get a line-up again.
        half = len(programs) // 2
        return [
            *_try_chunk(problem, programs[:half], language, target, judge_alone),
            *_try_chunk(problem, programs[half:], language, target, judge_alone),
        ]
    return [trial_of(judge_alone(problem, program.source, language)) for program in programs]


def _has_room(problem: Problem) -> bool:
    """Whether the wire takes one argument and one size more."""
    outputs = sum(argument.role in {Role.OUT, Role.INOUT} for argument in problem.arguments)
    return len(problem.arguments) + 1 + len(size_names(problem)) + 1 + outputs <= MAX_WIRE_ARGUMENTS


def _line_up(
    problem: Problem, programs: Sequence[Program], language: Language, target: Target
) -> list[Trial]:
    """The trials of one line-up. Raises _Unusable."""
    derived = _derived(problem, len(programs))
    source = line_up_text(derived, [program.source for program in programs], language)
    built = target.build(derived, source, language, _never)
    if built.failure:
        raise _Unusable(built.message)
    cases = derived.cases[: len(problem.cases)]  # their contents serve all programs
    with contextlib.closing(target.seat(derived, language, cases, _never)) as seat:
        run = _Run(derived, seat, built.contents)
        with contextlib.closing(run):
            trials = [run.attempt(number, cases) for number in range(len(programs))]
            controls = [number for number, program in enumerate(programs) if program.control]
            if any(trials[number].verdict is not Verdict.ACCEPTED for number in controls):
                raise _Unusable("a control was not accepted")
            # The sandbox has outlived programs that went wrong; is it still what it was?
            if controls and run.attempt(controls[0], cases[:1]).verdict is not Verdict.ACCEPTED:
                raise _Unusable("a control was not accepted any more")
            return trials


def _derived(problem: Problem, count: int) -> Problem:
    """`problem` with the argument that says which of `count` programs is called; small cases come first."""
    which = Argument(WHICH, Role.SCALAR, Dtype.INT32, value=Formula.parse(WHICH))
    arrays = [argument for argument in problem.arguments if argument.role is not Role.SCALAR]
    by_size = sorted(problem.cases, key=lambda case: sum(bytes_of(a, case.sizes) for a in arrays))
    return replace(
        problem,
        arguments=(*problem.arguments, which),
        # All of all programs, since limits of a whole run go by the number of cases.
        cases=tuple(_numbered(case, number) for number in range(count) for case in by_size),
        reference=problem.reference + _WITHOUT_WHICH,
        limits=replace(
            problem.limits, compile_s=min(problem.limits.compile_s * (1 + count / 4), _LONGEST_COMPILE_S)
        ),
        version=f"{problem.version}-line-up-{count}",
    )


def _numbered(case: Case, number: int) -> Case:
    """`case` for one program. Contents are drawn for the first, so that the others need no literals."""
    sizes = {**case.sizes, WHICH: number}
    return replace(case, sizes=sizes, inputs=case.inputs if number == 0 else {})


@dataclass(slots=True)
class _Run:
    """The sandboxes of a line-up, one after the other. Close it before its seat."""

    problem: Problem
    seat: Seat
    contents: tuple[bytes, ...]
    _referee: Referee | None = None

    def attempt(self, number: int, cases: Sequence[Case]) -> Trial:
        """Judge program `number` on `cases` up to the first that is not accepted."""
        ms = 0.0
        for case in cases:
            report = self._check(case, number)
            ms += report.wall_ms or 0.0
            if report.verdict is not Verdict.ACCEPTED:
                return Trial(report.verdict, ": ".join(filter(None, [case.name, report.message])), ms)
        return Trial(Verdict.ACCEPTED, "", ms)

    def close(self) -> None:
        """End the sandbox that runs."""
        referee, self._referee = self._referee, None
        if referee is not None:
            referee.close()

    def _check(self, case: Case, number: int) -> CaseReport:
        referee = self._running()
        (drawn, *_) = self.seat.sets(case)
        own = replace(drawn, case=_numbered(case, number))
        return referee.check(own, flags_for(self.problem, case))

    def _running(self) -> Referee:
        if self._referee is not None and self._referee.alive:
            return self._referee
        self.close()
        # Alone: on a GPU, what these programs do wrong would end the programs of others.
        self._referee = self.seat.start_referee(alone=True)
        self._referee.ready()
        if failed := self._referee.load(*self.contents):
            raise _Unusable(failed[1])
        return self._referee


def _never() -> bool:
    return False
