"""Tests the check for cases that reveal information about each other."""

from dataclasses import replace

import pytest

from judge.proof.case_leaks import check_cases, check_contents_apart
from judge.proof.determinism import draw_exact
from problems.schema import Case, Problem
from problems.vocabulary import Group
from tests.unit.judge.environment import SCALING, ScriptedBench
from tests.unit.judge.test_determinism import with_reference


def apart(problem: Problem) -> list[str]:
    oracle = ScriptedBench().oracle
    exact = draw_exact(problem, oracle)
    return [finding.text for finding in check_contents_apart(problem, exact, oracle)]


def with_case(name: str, n: int, group: Group = Group.SMALL) -> Problem:
    return replace(SCALING, cases=(*SCALING.cases, Case(name, group, {"n": n})))


def test_independent_cases_have_no_findings() -> None:
    problem = with_case("longer", 500)
    assert list(check_cases(problem)) == []
    assert apart(problem) == []


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (with_case("tiny", 3), "the hidden case tiny has the sizes of example, which users see"),
        (with_case("again", 37), "the cases odd and again have the same sizes"),
        (with_case("n-1009", 1009), "'n-1009' reveals the hidden size n = 1009: users see case names"),
    ],
)
def test_names_and_sizes_that_give_something_away(problem: Problem, said: str) -> None:
    assert [finding.text for finding in check_cases(problem)] == [said]


def test_a_case_whose_inputs_ignore_the_seed() -> None:
    fixed = with_reference(
        '{"x": rng.uniform(-10, 10, size["n"])}',
        '{"x": rng.uniform(-10, 10, size["n"]) if size["n"] != 37 else xp.arange(37) ** 0.5}',
    )
    assert apart(fixed) == [
        "the same inputs for every seed, so a program could store the answer, in case odd",
    ]


def test_cases_that_begin_alike() -> None:
    """The first elements come from nothing but the place."""
    shared = with_reference(
        '{"x": rng.uniform(-10, 10, size["n"])}',
        '{"x": xp.where(xp.arange(size["n"]) < 40, xp.sin(xp.arange(size["n"])),'
        ' rng.uniform(-10, 10, size["n"]))}',
    )
    problem = replace(shared, cases=(*shared.cases, Case("longer", Group.LARGE, {"n": 500})))
    assert any(
        "of case odd and that of case longer start with the same values" in text for text in apart(problem)
    )


def test_small_and_constant_contents_may_be_alike() -> None:
    constant = with_reference("x * 2.1", "x * 0 + 7.3")
    assert apart(replace(constant, cases=(*constant.cases, Case("longer", Group.LARGE, {"n": 500})))) == []
