"""Formulas agree with Python's integers, and hostile ones end quickly."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.formula import MAX_VALUE, Formula, FormulaError

SIZES = {"rows": 7, "cols": 5, "n": 1000}


def expressions() -> st.SearchStrategy[str]:
    leaves = st.one_of(st.integers(0, 10**6).map(str), st.sampled_from(sorted(SIZES)))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*", "//", "%"]), inner).map(" ".join),
            inner.map("({})".format),
            inner.map("-{}".format),
        ),
        max_leaves=8,
    )


@given(expressions())
def test_agrees_with_python(text: str) -> None:
    try:
        expected = eval(text, {}, SIZES)  # made from the grammar above
    except ZeroDivisionError:
        with pytest.raises(FormulaError):
            Formula.parse(text).evaluate(SIZES)
        return
    if abs(expected) <= MAX_VALUE:
        assert Formula.parse(text).evaluate(SIZES) == expected


@given(st.text(max_size=300))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    with contextlib.suppress(FormulaError):
        assert Formula.parse(text).names <= set(re.findall(r"\w+", text))


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9**9",
        "n << 100000",
        "n ** n",
        "1e9",
        "n / 2",
        "n & 1",
        "f(n)",
        "n.real",
        "n[0]",
        "'a' * n",
        "True",
        "lambda: n",
        "n if n else n",
        "n == n",
        "~n",
        "+n",
        "(n := 3)",
        "__import__('os')",
        "",
        "()",
        "n,",
        "n\0",
        "n\n",
        "(" * 150 + "n" + ")" * 49,
        "(" * 90 + "n" + ")" * 89,
        "-" * 400 + "n",
        "9" * 5000,
        "n * " * 100 + "n",
    ],
)
def test_hostile_texts_are_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        Formula.parse(text)


def test_values_are_bounded() -> None:
    with pytest.raises(FormulaError, match="too large"):
        Formula.parse("*".join(["n"] * 60)).evaluate({"n": 2**31 - 1})


def test_deep_nesting_is_evaluated() -> None:
    assert Formula.parse("-" * 198 + "n").evaluate({"n": 3}) == 3


def test_missing_sizes_are_named() -> None:
    with pytest.raises(FormulaError, match="unknown size 'm'"):
        Formula.parse("m + 1").evaluate(SIZES)


def test_names_are_the_sizes_used() -> None:
    assert Formula.parse("(rows - 2) * cols // 3").names == {"rows", "cols"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.01", 0.01),
        ("1e-05", 1e-5),
        ("n / 3", 1000 / 3),
        ("-(rows / 4) + cols", 3.25),
        ("(n - 7) / 1", 993),
    ],
)
def test_fractions_where_they_are_allowed(text: str, value: float) -> None:
    assert Formula.parse(text, fractions=True).number(SIZES) == value


@pytest.mark.parametrize("text", ["0.5", "n / 2", "1e999"])
def test_fractions_where_they_are_not(text: str) -> None:
    with pytest.raises(FormulaError):
        Formula.parse(text)


@pytest.mark.parametrize("text", ["1e999", "n ** 0.5", "n / 0", "1j"])
def test_bad_fractions(text: str) -> None:
    with pytest.raises(FormulaError):
        Formula.parse(text, fractions=True).number(SIZES)


def test_a_fraction_is_no_integer() -> None:
    with pytest.raises(FormulaError, match="not an integer"):
        Formula.parse("n / 3", fractions=True).evaluate(SIZES)
