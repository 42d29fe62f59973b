"""Seeds and references that hold, and such that do not."""

from dataclasses import replace

import pytest

from judge.contents import check_contents, draw_exact
from judge.errors import OracleFailed
from problems.schema import Problem, Tolerance
from tests.unit.judge.bench import SCALING, ScriptedBench


def texts(problem: Problem) -> list[str]:
    oracle = ScriptedBench().oracle
    return [finding.text for finding in check_contents(problem, draw_exact(problem, oracle), oracle)]


def with_tolerance(problem: Problem, tolerance: Tolerance) -> Problem:
    x, y, n = problem.arguments
    return replace(problem, arguments=(x, replace(y, tolerance=tolerance), n))


def with_reference(old: str, new: str) -> Problem:
    assert old in SCALING.reference
    return replace(SCALING, reference=SCALING.reference.replace(old, new))


def test_an_honest_problem_has_no_findings() -> None:
    assert texts(SCALING) == []


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            "rng.uniform(-10, 10, size",
            "xp.random.uniform(-10, 10, size",
            "the same seed gives different inputs",
        ),
        (
            "rng.uniform(-10, 10, size",
            "xp.full(3.1, 3.1) if 0 else xp.ones(size",
            "two seeds give the same inputs",
        ),
        ("x * 2.1", "x * xp.random.uniform()", "the same inputs give different outputs"),
        ("x * 2.1", "x * 0 + 7.3", "two seeds give the same outputs"),
        ("x * 2.1", "xp.where(x > 0, x * 2.1, xp.nan)", "y holds NaN, which nothing matches"),
    ],
)
def test_contents_must_be_random_and_sound(old: str, new: str, text: str) -> None:
    assert any(found.startswith(text) for found in texts(with_reference(old, new)))


def test_nan_is_allowed_where_the_problem_says_so() -> None:
    problem = with_reference("x * 2.1", "xp.where(x > 9, xp.nan, x * 2.1)")
    allowed = with_tolerance(problem, Tolerance(1e-6, 1e-6, nan=True))
    assert "y holds NaN, which nothing matches" in texts(problem)
    assert texts(allowed) == []


def test_a_reference_that_changes_its_arguments_is_refused() -> None:
    changing = with_reference('return {"y": x * 2.1}', "x *= 2.1\n    return {'y': x}")
    with pytest.raises(OracleFailed, match="changes its argument x"):
        texts(changing)
