"""Tests the check that seeds and references are deterministic."""

from dataclasses import replace

import pytest

from judge.proof.determinism import check_contents, check_poison, draw_exact
from judge.proof.prove import examine
from judge.proof.results import ProofCheck, SectionState
from problems.formula import Formula
from problems.schema import Argument, Problem, Tolerance, ValueRule
from problems.vocabulary import Dtype, Role, Severity
from tests.unit.judge.environment import SCALING, ScriptedBench


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
        ("x * 2.1", "xp.where(x > 0, x * 2.1, xp.nan)", "y holds NaN, which never compares equal"),
    ],
)
def test_contents_must_be_random_and_sound(old: str, new: str, text: str) -> None:
    assert any(found.startswith(text) for found in texts(with_reference(old, new)))


def test_a_drawn_scalar_is_as_random_as_an_array() -> None:
    x, y, n = SCALING.arguments
    bounds = ValueRule(Formula.parse("1"), Formula.parse("3"))
    alpha = Argument("alpha", Role.SCALAR, Dtype.FLOAT32, values=bounds)
    drawn = with_reference("x * 2.1", "x * alpha")
    source = drawn.reference.replace("reference(xp, x, n)", "reference(xp, x, n, alpha)")
    assert texts(replace(drawn, arguments=(x, y, n, alpha), reference=source)) == []


def test_a_drawn_scalar_may_be_all_that_two_seeds_change() -> None:
    _, y, n = SCALING.arguments
    bounds = ValueRule(Formula.parse("1"), Formula.parse("3"))
    alpha = Argument("alpha", Role.SCALAR, Dtype.FLOAT32, values=bounds)
    source = (
        "def generate(xp, rng, size):\n    return {}\n\n\n"
        "def reference(xp, n, alpha):\n    return {'y': alpha * xp.arange(1, n + 1)}\n"
    )
    assert texts(replace(SCALING, arguments=(y, n, alpha), reference=source)) == []
    ignored = source.replace("alpha * xp", "1.5 * xp")
    found = texts(replace(SCALING, arguments=(y, n, alpha), reference=ignored))
    assert found == ["two seeds give the same outputs"]


def test_inputs_keep_to_what_the_problem_promises() -> None:
    x, *others = SCALING.arguments
    promised = replace(x, values=ValueRule(Formula.parse("-10"), Formula.parse("10")))
    assert texts(replace(SCALING, arguments=(promised, *others))) == []
    broken = replace(x, values=ValueRule(least=Formula.parse("0")))
    (found,) = texts(replace(SCALING, arguments=(broken, *others)))
    assert found.startswith("in case odd, x[")
    assert found.endswith(", which must be 0 or more")


def test_nan_is_allowed_where_the_problem_says_so() -> None:
    problem = with_reference("x * 2.1", "xp.where(x > 9, xp.nan, x * 2.1)")
    allowed = with_tolerance(problem, Tolerance(1e-6, 1e-6, nan=True))
    assert texts(problem) == ["y holds NaN, which never compares equal, in case odd"]
    assert texts(allowed) == []


def test_a_reference_that_changes_its_arguments_is_refused() -> None:
    changing = with_reference('return {"y": x * 2.1}', "x *= 2.1\n    return {'y': x}")
    assert texts(changing) == ["the reference modifies its argument x"]


def test_it_is_refused_too_when_only_large_cases_are_changed() -> None:
    changing = with_reference('return {"y"', 'if n > 1:\n        x = x.copy()\n    return {"y"')
    assert texts(changing) == []
    changing = with_reference(
        'return {"y"', 'y = x * 2.1\n    if n > 1:\n        x *= 0\n    return {"y": y} or {"y"'
    )
    assert texts(changing) == ["the reference modifies its argument x"]


def test_elements_that_the_reference_never_wrote_are_found() -> None:
    partial = with_reference(
        'return {"y": x * 2.1}', "y = xp.empty(n)\n    y[1:] = x[1:] * 2.1\n    return {'y': y}"
    )
    assert texts(partial) == ["the reference returns uninitialised elements of y"]


def test_infinities_are_looked_at() -> None:
    [given, *_] = texts(with_reference("rng.uniform(-10, 10", "rng.uniform(-1e39, 1e39"))
    assert given == "x holds infinities as float32"
    divided = with_reference("x * 2.1", "x / (0 * xp.abs(x))")
    assert texts(divided) == ["every element of y is infinite in every case"]
    assert texts(with_reference("x * 2.1", "xp.where(x > 9, x, xp.inf)")) == []


def test_nothing_that_follows_is_told_beside_it() -> None:
    """One mistake in the generator is one finding: tolerances and programs mean nothing with it."""
    proof = examine(
        with_reference("rng.uniform(-10, 10, size", "xp.random.uniform(-10, 10, size"), ScriptedBench()
    )
    wrong = [finding.text for finding in proof.findings if finding.place.startswith("reference.py")]
    assert wrong == ["the same seed gives different inputs"]
    states = {section.check: section.state for section in proof.sections}
    for check in (ProofCheck.POISON, ProofCheck.TOLERANCES, ProofCheck.EXPOSURE, ProofCheck.STATEMENT):
        assert states[check] is SectionState.SKIPPED


def test_wide_tolerances_let_through_what_nobody_wrote() -> None:
    [exact] = [draw_exact(SCALING, ScriptedBench().oracle)]
    assert list(check_poison(SCALING, exact)) == []
    [finding] = check_poison(with_tolerance(SCALING, Tolerance(0, 1e6)), exact)
    assert finding.severity is Severity.ERROR
    assert finding.text.startswith(
        "an element of y that a program never writes passes all cases with probability"
    )


def test_what_starts_at_zero_is_not_asked_about_random_bits() -> None:
    wide = with_tolerance(SCALING, Tolerance(0, 1e6))
    x, y, n = wide.arguments
    zeroed = replace(wide, arguments=(x, replace(y, zeroed=True), n))
    assert list(check_poison(zeroed, draw_exact(wide, ScriptedBench().oracle))) == []
