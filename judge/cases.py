"""Selects the cases that a program is judged on and the flags of each run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from judge.drawn import inputs
from judge.values import NO_VALUES, Values, custom_case
from problems.requirements import COUNTED_BYTES, input_bytes
from problems.schema import Case, Problem, Requirement
from problems.vocabulary import Group, Language, Mode
from sandbox.wire import RunFlag

_WATCHED = RunFlag.DETERMINISTIC | RunFlag.RACES
ORDERS = (
    _WATCHED | RunFlag.STALE_READS,
    _WATCHED | RunFlag.REVERSED,
    _WATCHED | RunFlag.INTERLEAVED | RunFlag.STALE_READS,
)
# Further orders, for programs in which a race was found.
LATE_READS = tuple(
    _WATCHED | RunFlag.LATE_READS | torn | reversed_
    for torn in (RunFlag.NONE, RunFlag.TORN_READS)
    for reversed_ in (RunFlag.NONE, RunFlag.REVERSED)
)


def select_cases(
    problem: Problem,
    mode: Mode,
    sizes: Mapping[str, int] | None,
    *,
    ranked: bool,
    values: Values = NO_VALUES,
) -> tuple[Case, ...]:
    """Return the cases to judge: the user's own sizes and values, the public cases, or all of this target.

    Raises:
        judge.sizes.CustomCaseInvalid: the sizes or the values do not fit the problem.
    """
    if sizes is not None:
        return (custom_case(problem, sizes, values),)
    if mode is Mode.RUN:
        return tuple(case for case in problem.cases if case.public)
    return tuple(case for case in problem.cases if ranked or case.group is not Group.TIMED)


def with_small_public(problem: Problem) -> Problem:
    """Return `problem` for a run of its author: small cases become samples, on which functional mode counts.

    A case is small if it has at most COUNTED_BYTES of input. Timed cases are left out.
    """
    small = (
        replace(case, group=Group.SAMPLE) if input_bytes(problem.arguments, case) <= COUNTED_BYTES else case
        for case in problem.cases
        if case.group is not Group.TIMED
    )
    return replace(problem, cases=tuple(small))


def flags_for(problem: Problem, case: Case) -> RunFlag:
    """Return the flags of a single run. Small cases are watched for races, in a fixed order.

    Small odd cases run in descending order, and other small cases in ascending order.
    """
    ascending, *others = orders_for(problem, case)
    return others[0] if others and case.group is Group.ODD else ascending


def orders_for(problem: Problem, case: Case) -> tuple[RunFlag, ...]:
    """Return the flags of each run of a CUDA program on a case in functional mode; see `judge.cpu.orders`."""
    return (RunFlag.NONE,) if input_bytes(problem.arguments, case) > COUNTED_BYTES else ORDERS


def run_orders(problem: Problem, case: Case, language: Language, *, functional: bool) -> tuple[RunFlag, ...]:
    """Return the flags of each run of a case.

    In `functional` mode, CUDA programs run small cases in several orders. Triton programs run small cases of
    the group `odd` twice: with the programs of a grid in ascending and in descending order.
    """
    if functional and language is Language.CUDA:
        return orders_for(problem, case)
    if functional and language is Language.TRITON and case.group is Group.ODD:
        return orders_for(problem, case)[:2]
    return (flags_for(problem, case),)


def counted_cases(problem: Problem, cases: Sequence[Case], mode: Mode) -> tuple[str, ...]:
    """Return the names of the cases on which functional mode counts memory traffic.

    In a run, functional mode counts on all cases, so that the user sees the figures of each. Otherwise it
    counts on the largest small case.
    """
    if mode is Mode.RUN:
        return tuple(case.name for case in cases)
    small = [case for case in cases if input_bytes(problem.arguments, case) <= COUNTED_BYTES]
    return tuple(case.name for case in sorted(small, key=partial(input_bytes, problem.arguments))[-1:])


def redrawn_case(problem: Problem, cases: Sequence[Case]) -> Case | None:
    """Return the case of `cases` that is checked a second time, with other inputs; None if there is none.

    A program may compute the right output in its first call with some sizes, and return this output in later
    calls with the same sizes. Most cases have different sizes, so the judge draws the largest small hidden
    case with random inputs twice. If there are timed cases, it draws these several times anyway. If the
    submission is a test, the judge does not draw its inputs.
    """
    if problem.under_test is not None or not inputs(problem):
        return None
    if any(case.group is Group.TIMED for case in cases):
        return None
    small = [
        case
        for case in cases
        if not case.public and not case.inputs and input_bytes(problem.arguments, case) <= COUNTED_BYTES
    ]
    return max(small, key=partial(input_bytes, problem.arguments), default=None)


def required_cases(problem: Problem, language: Language) -> dict[str, tuple[Requirement, ...]]:
    """Return, by name of a case, the requirements on programs in `language` that are counted in this case.

    The cases are in the order of the problem.
    """
    checked = [case for case in problem.cases if case.group is not Group.TIMED]
    usual = counted_cases(problem, checked, Mode.SUBMIT)
    requirements = [r for r in problem.requirements if r.counter.language is language]
    found = (
        (case.name, tuple(r for r in requirements if case.name in (r.cases or usual))) for case in checked
    )
    return {name: requirements for name, requirements in found if requirements}
