"""Formulas in floating point agree with Python, and hostile ones end with a clear error."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.arithmetic import FUNCTIONS, LARGEST, MAX_CHARACTERS, Arithmetic
from problems.formula import FormulaError

VARIABLES = {"a": 7.0, "b": 2.5, "n": 1000.0}
FUNCTIONS_OF_PYTHON = {
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "log2": math.log2,
    "abs": abs,
    "min": min,
    "max": max,
}


def value(text: str) -> float:
    return Arithmetic.parse(text).value(VARIABLES)


def expressions() -> st.SearchStrategy[str]:
    leaves = st.one_of(st.integers(0, 10**4).map(lambda n: f"{n}.0"), st.sampled_from(sorted(VARIABLES)))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner).map(
                "({0[0]} {0[1]} {0[2]})".format
            ),
            inner.map("ceil({})".format),
            st.tuples(inner, inner).map("min({0[0]}, {0[1]})".format),
            st.tuples(inner, inner, inner).map("({0[0]} if {0[1]} < {0[2]} else 1.0)".format),
        ),
        max_leaves=6,
    )


@given(expressions())
def test_agrees_with_python(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        return
    try:
        wanted = float(eval(text, {"__builtins__": {}}, {**FUNCTIONS_OF_PYTHON, **VARIABLES}))  # made above
    except (ZeroDivisionError, OverflowError, ValueError):
        with pytest.raises(FormulaError):
            value(text)
        return
    if abs(wanted) <= LARGEST:
        assert value(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2 ** 10", 1024),
        ("9 ** 0.5", 3),
        ("-a", -7),
        ("a == 7", 1),
        ("(a > 7) + (b < 3) == 1", 1),
        ("max(1, a, b)", 7),
        ("log2(8) + sqrt(16) + abs(-1)", 8),
        ("floor(b) + ceil(b)", 5),
        ("1 if a > b else 0", 1),
        ("1e3", 1000),
    ],
)
def test_its_operations(text: str, wanted: float) -> None:
    assert value(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        *("", "a b", "a and b", "a < b < n", "f(a)", "a.real", "a[0]", "lambda: 1", "'x'", "True", "[a]"),
        *("ceil(a, b)", "min(a)", "min", "ceil", "max(a, key=b)", "max(*a)", "a := 1", "1j", "~a", "+a"),
        *("__import__(1)", "a\n+ b", "1e400", "9" * 400, "(" * 250 + "1" + ")" * 40, "9" * 299),
    ],
)
def test_refuses_all_else(text: str) -> None:
    with pytest.raises(FormulaError):
        Arithmetic.parse(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 / (a - 7)", "divides by zero"),
        ("a % 0", "divides by zero"),
        ("(-8) ** 0.5", "has no value"),
        ("9 ** 9 ** 9", "has no value"),
        ("log2(0)", "has no value"),
        ("1e18 * 10", "is larger than 1e+18"),
        ("1e18 ** 15 * 1e18 ** 15 - 1e18 ** 15 * 1e18 ** 15", "is larger than 1e+18"),
        ("zeta + 1", "uses the unknown variable 'zeta'"),
    ],
)
def test_a_formula_without_a_value_says_why(text: str, why: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(why)):
        value(text)


@given(st.text(max_size=320))
def test_any_text_ends_quickly_with_a_formula_or_an_error(text: str) -> None:
    try:
        formula = Arithmetic.parse(text)
        assert not formula.names & set(FUNCTIONS)
        formula.value(VARIABLES)
    except FormulaError:
        pass


def test_names_are_those_of_variables() -> None:
    formula = Arithmetic.parse("ceil(a / b) * min(a, n)")
    assert formula.names == {"a", "b", "n"}
    assert Arithmetic.parse("a").is_name
    assert not formula.is_name
