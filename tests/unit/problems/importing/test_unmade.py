"""Tests that outputs get their shapes from other tests where possible, and only there."""

from dataclasses import replace

from problems.importing.described import Array, Scalar
from problems.importing.described import Test as One
from problems.importing.unmade import with_outputs

RAN = One("functional", 0, "ran", values={"x": Array("float32", (3, 4)), "y": Array("float32", (4, 5))})
LARGE = One(
    "functional",
    3,
    "large",
    unmade="it cannot",
    values={"x": Array("float32", (70, 80)), "k": Scalar(9, whole=True)},
)


def ran(x: tuple[int, ...], y: tuple[int, ...], k: int = 9) -> One:
    return replace(
        RAN,
        values={"x": Array("float32", x), "k": Scalar(k, whole=True), "y": Array("float16", y)},
    )


def shape(*tests: One) -> tuple[int, ...] | None:
    found = with_outputs([*tests, LARGE], ["y"])[-1].values.get("y")
    return found.shape if isinstance(found, Array) else None


def test_an_extent_is_that_of_an_input_a_number_or_always_the_same() -> None:
    assert shape(ran((3, 4), (4, 256)), ran((5, 6), (6, 256))) == (80, 256)
    assert shape(ran((3, 4), (7, 3), 7), ran((5, 6), (8, 5), 8)) == (9, 70)
    assert isinstance(
        array := with_outputs([ran((3, 4), (4, 2)), ran((5, 6), (6, 2)), LARGE], ["y"])[2].values["y"], Array
    )
    assert array.dtype == "float16"


def test_what_may_be_chance_is_not_taken() -> None:
    assert shape(ran((3, 4), (4, 5))) is None  # one test
    assert shape(ran((3, 4), (4, 3)), ran((3, 4), (4, 3))) is None  # the same twice
    assert shape(ran((4, 4), (4, 2)), ran((6, 6), (6, 2))) is None  # rows or columns
    assert shape(ran((3, 4), (11, 2)), ran((5, 6), (13, 2))) is None  # neither
    assert shape(ran((3, 4), (4,)), ran((5, 6), (6, 2))) is None  # another rank


def test_a_test_that_failed_otherwise_stays() -> None:
    failed = replace(LARGE, unmade="", failed="no")
    assert with_outputs([ran((3, 4), (4, 2)), ran((5, 6), (6, 2)), failed], ["y"])[2] == failed
