"""Tests deriving sizes and formulas from shapes: tests keep their shapes, simple formulas are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from problems.formula import Formula
from problems.importing.sizes import NoSizes, find_sizes

EXTENTS = st.integers(1, 40)


def test_plain_formulas_are_found() -> None:
    tests = [(5, 7, 3), (9, 4, 2), (30, 17, 5), (64, 3, 1)]
    arrays = [
        {
            "a": (n, m),
            "b": (n * m,),
            "c": (n - k + 1,),
            "d": (n + 1, 3),
            "e": (2 * m,),
            "f": ((n + 3) // 4,),
            "g": (8,),
        }
        for n, m, k in tests
    ]
    sizes = find_sizes(arrays, [{"n": n, "m": m, "k": k} for n, m, k in tests], frozenset())
    assert sizes.shapes == {
        "a": ("n", "m"),
        "b": ("n * m",),
        "c": ("n - k + 1",),
        "d": ("n + 1", "3"),
        "e": ("2 * m",),
        "f": ("(n + 3) // 4",),
        "g": ("8",),
    }
    assert sizes.values == {"n": "n", "m": "m", "k": "k"}


def test_the_number_of_a_single_test_is_a_constant_if_no_size_can_be_that_large() -> None:
    sizes = find_sizes([{"a": (4,)}], [{"p": 2**61 - 1, "n": 4}], frozenset())
    assert sizes.values == {"p": str(2**61 - 1), "n": "n"}


def test_numbers_below_one_and_fractions_are_shifted() -> None:
    numbers = [{"step": -2, "alpha": 0.01, "beta": 0.5}, {"step": 3, "alpha": -1.25, "beta": 0.5}]
    sizes = find_sizes([{"a": (4,)}, {"a": (5,)}], numbers, frozenset({"alpha", "beta"}))
    for index, row in enumerate(numbers):
        told = sizes.of_test(index)
        assert min(told.values()) >= 1
        for name, value in row.items():
            assert Formula.parse(sizes.values[name], fractions=True).number(told) == value


def test_fractions_are_told_by_as_many_decimals_as_they_need() -> None:
    sizes = find_sizes([{"a": (4,)}, {"a": (5,)}], [{"eps": 1e-8}, {"eps": 0.015}], frozenset({"eps"}))
    told = [Formula.parse(sizes.values["eps"], fractions=True).number(sizes.of_test(i)) for i in (0, 1)]
    assert told == [1e-8, 0.015]


def test_a_fraction_that_no_size_says_is_refused() -> None:
    numbers = [{"eps": 1e-12}, {"eps": 1000.5}]
    with pytest.raises(NoSizes, match=r"eps is 0\.000000000001 in one test"):
        find_sizes([{"a": (4,)}, {"a": (5,)}], numbers, frozenset({"eps"}))


@given(st.lists(st.tuples(EXTENTS, EXTENTS, EXTENTS, st.integers(-50, 50)), min_size=1, max_size=6))
def test_every_test_keeps_its_shapes(tests: list[tuple[int, int, int, int]]) -> None:
    arrays = [{"x": (a, b), "y": (b, c), "z": (a * c,)} for a, b, c, _ in tests]
    numbers = [{"n": a, "q": q} for a, _, _, q in tests]
    sizes = find_sizes(arrays, numbers, frozenset())
    for index, (shapes, row) in enumerate(zip(arrays, numbers, strict=True)):
        told = sizes.of_test(index)
        assert min(told.values(), default=1) >= 1
        for name, shape in shapes.items():
            assert tuple(Formula.parse(text).evaluate(told) for text in sizes.shapes[name]) == shape
        for name, value in row.items():
            assert Formula.parse(sizes.values[name]).evaluate(told) == value
