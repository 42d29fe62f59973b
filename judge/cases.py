"""Which cases a program is judged on, and how it runs on each."""

from collections.abc import Mapping

from judge.drawn import inputs
from judge.sizes import bytes_of, check_sizes
from problems.schema import Case, Problem
from problems.vocabulary import Group, Mode
from sandbox.wire import Flag

_TRACED_BYTES = 256 * 1024  # cases with less data run slowly and tell more


def select_cases(
    problem: Problem, mode: Mode, sizes: Mapping[str, int] | None, *, ranked: bool
) -> tuple[Case, ...]:
    """The cases to judge on: a user's own sizes, the public ones, or all that this target runs."""
    if sizes is not None:
        check_sizes(problem, sizes)
        return (Case("custom", Group.SAMPLE, dict(sizes)),)
    if mode is Mode.RUN:
        return tuple(case for case in problem.cases if case.public)
    return tuple(case for case in problem.cases if ranked or case.group is not Group.TIMED)


def flags_for(problem: Problem, case: Case) -> Flag:
    """Small cases run in one fixed order and are watched for races; odd ones in the reverse order."""
    if sum(bytes_of(argument, case.sizes) for argument in inputs(problem)) > _TRACED_BYTES:
        return Flag.NONE
    flags = Flag.DETERMINISTIC | Flag.RACES
    return flags | Flag.REVERSED if case.group is Group.ODD else flags
