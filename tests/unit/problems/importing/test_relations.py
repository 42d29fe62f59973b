"""Tests that invented sizes keep the relations that hold in all tests of a set."""

import pytest

from problems.importing.contents import is_sorted, law_of
from problems.importing.described import Array
from problems.importing.described import Test as SetTest
from problems.importing.relations import Relations
from problems.vocabulary import Dtype

HEADS = Relations.of({"width": (8, 24, 96), "heads": (2, 3, 6), "rows": (5, 200, 9)})


@pytest.mark.parametrize(
    ("sizes", "allowed"),
    [
        ((32, 4, 37), True),
        ((33, 4, 37), False),  # no multiple of the heads
        ((40, 5, 201), False),  # above all tests
        ((40, 5, 4), False),  # below all tests
        ((36, 3, 37), False),  # all widths are multiples of eight
    ],
)
def test_what_holds_of_all_tests_is_kept(sizes: tuple[int, int, int], *, allowed: bool) -> None:
    width, heads, rows = sizes
    assert HEADS.allow({"width": width, "heads": heads, "rows": rows}) is allowed


def test_bounds_may_be_left_on_purpose() -> None:
    above, below = {"width": 192, "heads": 6, "rows": 999}, {"width": 4, "heads": 2, "rows": 3}
    assert not HEADS.allow(above)
    assert HEADS.allow(above, larger=True)
    assert not HEADS.allow(below)
    assert HEADS.allow(below, smaller=True)


def test_powers_of_two_and_orders_stay() -> None:
    assert not Relations.of({"n": (64, 1024)}).allow({"n": 192})
    strict = Relations.of({"k": (3, 5, 9), "n": (4, 51, 10)})
    assert [strict.allow({"k": k, "n": n}) for k, n in ((4, 5), (5, 5), (6, 5))] == [True, False, False]


def test_sizes_stay_above_the_indices_that_point_below_them() -> None:
    indexed = Relations.of({"words": (20, 600), "rows": (90, 4)}, [[19.0, 598.0]])
    assert indexed.above == {"words": 598.0}
    assert not indexed.allow({"words": 37, "rows": 37})
    assert Relations.of({"n": (23, 600)}, [[None, None]]).allow({"n": 37})


def seen(*, ordered: bool, count: int = 100) -> SetTest:
    contents = Array("float32", (count,), low=0.0, high=9.0, mean=4.5, deviation=2.6, ordered=ordered)
    return SetTest("functional", 0, "a", values={"x": contents})


def test_contents_in_order_are_drawn_in_order() -> None:
    assert law_of("x", Dtype.FLOAT32, [seen(ordered=True), seen(ordered=True)])[0] == "sorted uniform"
    assert law_of("x", Dtype.FLOAT32, [seen(ordered=True), seen(ordered=False)])[0] == "uniform"
    assert not is_sorted("x", [seen(ordered=True, count=3)])  # by chance


def test_sizes_that_divide_each_other_are_known() -> None:
    square = Relations.of({"m": (4, 6, 9), "k": (4, 6, 9), "heads": (2, 3, 3), "n": (5, 7, 1)})
    assert square.equal("m") == {"k"}
    assert square.tied("m") == {"k", "heads"}
    assert square.tied("n") == set()
