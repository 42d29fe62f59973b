"""Tests rewriting formulas over the sizes of cases with the names of arguments."""

import pytest

from problems.formula import Formula
from problems.loader import load_problem, problems_root
from problems.own_names import in_arguments
from problems.schema import Argument, Problem
from problems.vocabulary import Dtype, Role

SLUGS = [path.parent.name for path in sorted(problems_root().glob("*/problem.toml"))]


def scalars(**values: str) -> list[Argument]:
    """Scalar arguments, by the formula of each."""
    return [
        Argument(name, Role.SCALAR, Dtype.INT32, value=Formula.parse(text)) for name, text in values.items()
    ]


@pytest.mark.parametrize(
    ("formula", "values", "told"),
    [
        ("n + 1", {"n": "n"}, "n + 1"),
        ("2 * groups * half", {"k": "2 * groups * half", "group": "2 * half"}, "k"),
        ("groups * half", {"k": "2 * groups * half", "group": "2 * half"}, "k // 2"),
        ("groups", {"k": "2 * groups * half", "group": "2 * half"}, "k // group"),
        ("h + 2 * margin - r - 1", {"h": "h", "r": "r", "pad": "margin - 1"}, "h + 2 * pad - r + 1"),
        ("2 * ((width - r) // s)", {"w": "width", "r": "r", "s": "s"}, "2 * ((w - r) // s)"),
        ("(d - 1) * (t - 1) + u", {"d": "d", "s": "t - 1", "o": "u - 1"}, "(d - 1) * s + o + 1"),
        ("b * h * h + 1", {"a": "b", "d": "2 * h"}, "(a * d * d + 4) // 4"),
        ("(n + 2) // page", {"row": "(n + 2) // page"}, "row"),
        ("2 * edges", {"n": "n"}, None),
        ("rows", {"rows": "rows - 1"}, "rows + 1"),
    ],
)
def test_a_formula_in_names_of_arguments(formula: str, values: dict[str, str], told: str | None) -> None:
    assert in_arguments(Formula.parse(formula), scalars(**values)) == told


def formulas(problem: Problem) -> list[Formula]:
    return [formula for argument in problem.arguments for formula in argument.shape]


@pytest.mark.parametrize("slug", SLUGS)
def test_a_shipped_formula_keeps_its_value_and_uses_names_of_scalars_alone(slug: str) -> None:
    problem = load_problem(problems_root() / slug)
    given = {argument.name: argument.value for argument in problem.arguments if argument.value is not None}
    for formula in formulas(problem):
        told = in_arguments(formula, problem.arguments)
        if told is None:
            continue
        assert Formula.parse(told).names <= given.keys()
        for case in problem.cases:
            scalars_there = {
                name: value.evaluate(case.sizes)
                for name, value in given.items()
                if name in Formula.parse(told).names
            }
            assert Formula.parse(told).evaluate(scalars_there) == formula.evaluate(case.sizes)
