"""Checks that a problem has enough solutions and cases for meaningful verdicts."""

import math
from collections.abc import Iterable, Iterator

from judge.proof.results import ProofFinding, error
from judge.sizes import bytes_of, shape_of
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Group, Role, Verdict

MIN_ACCEPTED = 2
MIN_FAILING = 5
_TOML = "problem.toml"


def check_coverage(problem: Problem) -> Iterator[ProofFinding]:
    """Yield findings on solutions and formulas. Needs no sandbox."""
    yield from _solutions(problem)
    for case in problem.cases:
        yield from _roofline(problem, case)


def check_shapes(problem: Problem) -> Iterator[ProofFinding]:
    """Yield findings on the sizes of hidden cases. Needs no sandbox."""
    if problem.under_test is not None:
        return  # cases differ only in the program under test
    hidden = [case for case in problem.cases if not case.public and case.group is not Group.TIMED]
    yield from _odd_sizes(problem, hidden)
    yield from _proportions(problem, hidden)


def _solutions(problem: Problem) -> Iterator[ProofFinding]:
    for language in problem.languages:
        accepted = [s for s in problem.solutions if s.language is language and s.verdict is Verdict.ACCEPTED]
        if len(accepted) < MIN_ACCEPTED:
            yield error(
                f"{_TOML}: solutions",
                f"{len(accepted)} accepted solutions in {language}",
                f"add a simple and a fast one, at least {MIN_ACCEPTED}",
            )
    failing = [s for s in problem.solutions if s.verdict is not Verdict.ACCEPTED]
    if len(failing) < MIN_FAILING:
        yield error(
            f"{_TOML}: solutions",
            f"{len(failing)} failing solutions",
            f"add wrong, slow, racy and cheating ones, at least {MIN_FAILING}",
        )


def _odd_sizes(problem: Problem, hidden: Iterable[Case]) -> Iterator[ProofFinding]:
    """Yield findings on odd sizes. Shapes without sizes are skipped: a sum has one element in every case."""
    varying = [a for a in _arrays(problem) if any(formula.names for formula in a.shape)]
    if not varying:
        return
    counts = [_varying_count(argument, case) for case in hidden for argument in varying]
    if all(count % 2 == 0 for count in counts):
        yield error(
            f"{_TOML}: cases",
            "no hidden case has an odd number of elements",
            "add a case of group odd with prime sizes",
        )
    if all(count > 1 for count in counts):
        yield error(
            f"{_TOML}: cases",
            "no hidden case has an array of one element",
            "add a case of group small in which every size is the smallest possible",
        )


def _varying_count(argument: Argument, case: Case) -> int:
    """Return the product of the dimensions that vary, unlike, for example, the three bytes of a pixel."""
    lengths = zip(argument.shape, shape_of(argument, case.sizes), strict=True)
    return math.prod(length for formula, length in lengths if formula.names)


def _proportions(problem: Problem, hidden: Iterable[Case]) -> Iterator[ProofFinding]:
    """Check arrays with several dimensions: without both wide and tall cases, swapped sizes go unnoticed."""
    for index, argument in enumerate(problem.arguments):
        free = [at for at, formula in enumerate(argument.shape) if formula.names]
        if len(free) < 2 or argument.shape[free[0]].text == argument.shape[free[1]].text:
            continue
        shapes = [shape_of(argument, case.sizes) for case in hidden]
        wide = any(shape[free[0]] < shape[free[1]] for shape in shapes)
        tall = any(shape[free[0]] > shape[free[1]] for shape in shapes)
        if not (wide and tall):
            yield error(
                f"{_TOML}: arguments[{index}].shape",
                f"{argument.name} is never {'taller than wide' if wide else 'wider than tall'}",
                "add a hidden case with such a shape, so that programs that swap sizes fail",
            )


def _roofline(problem: Problem, case: Case) -> Iterator[ProofFinding]:
    """Check that the formulas do not exceed the arrays, or honest programs are rejected as too fast."""
    needed = sum(
        bytes_of(argument, case.sizes) * (2 if argument.role is Role.INOUT else 1)
        for argument in _arrays(problem)
    )
    claimed = problem.bytes_moved.evaluate(case.sizes)
    if claimed > needed:
        yield error(
            f"{_TOML}: formulas.bytes",
            f"gives {claimed} bytes for case {case.name}, but its arrays hold {needed}",
            "count each input read once and each output written once",
        )


def _arrays(problem: Problem) -> list[Argument]:
    return [argument for argument in problem.arguments if argument.role is not Role.SCALAR]
