"""Tests the comparison of outputs: tolerances, NaN and infinities, every dtype, and the messages."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from judge.dtypes import narrow, storage, widen
from judge.runner.comparison import SHOWN_MISMATCHES, OutputComparison, compare
from problems.schema import Tolerance
from problems.vocabulary import Dtype

TIGHT = Tolerance(relative=1e-6, absolute=1e-6)


def check(
    got: list[float],
    expected: list[float],
    *,
    tolerance: Tolerance = TIGHT,
    dtype: Dtype = Dtype.FLOAT32,
    poison: npt.NDArray[np.generic] | None = None,
) -> OutputComparison:
    stored = narrow(np.array(got, dtype=np.float64 if dtype.is_float else None), dtype)
    wanted = np.array(expected, dtype=np.float64 if dtype.is_float else storage(dtype))
    return compare("c", dtype=dtype, got=stored, expected=wanted, poison=poison, tolerance=tolerance)


def test_equal_arrays_match() -> None:
    assert check([1, 2, 3], [1, 2, 3]) == OutputComparison(3, 0, 0, ())


def test_integers_that_were_added_to_the_poison_are_counted() -> None:
    poison = np.array([2**31 - 2, -5, 7, 9], np.int32)
    got = np.array([-(2**31) + 1, -5, 8, 9], np.int32)  # 3 more than the first, which wraps
    expected = np.array([3, 0, 8, 1], np.int32)
    found = compare("c", dtype=Dtype.INT32, got=got, expected=expected, poison=poison, tolerance=TIGHT)
    assert (found.mismatched, found.unwritten, found.added) == (3, 2, 2)


def test_an_element_outside_the_tolerance_is_named() -> None:
    comparison = check([1.0, 2.5, 3.0], [1.0, 2.0, 3.0])
    assert comparison.mismatched == 1
    (mismatch,) = comparison.mismatches
    assert (mismatch.argument, mismatch.index, mismatch.expected, mismatch.got) == ("c", (1,), "2", "2.5")
    assert mismatch.absolute_error == pytest.approx(0.5)
    assert mismatch.relative_error == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("got", "expected", "nan_matches", "matches"),
    [
        (np.nan, np.nan, False, False),
        (np.nan, np.nan, True, True),
        (np.nan, 1.0, True, False),
        (1.0, np.nan, True, False),
        (np.inf, np.inf, False, True),
        (-np.inf, np.inf, True, False),
        (np.inf, 1.0, True, False),
        (1.0, np.inf, True, False),
        (3.4e38, np.inf, False, False),
        (np.inf, 1e39, False, True),  # beyond float32, so its infinity is right
        (-0.0, 0.0, False, True),
    ],
)
def test_special_values(got: float, expected: float, nan_matches: bool, matches: bool) -> None:
    tolerance = Tolerance(relative=1e-3, absolute=1e-3, nan=nan_matches)
    assert (check([got], [expected], tolerance=tolerance).mismatched == 0) is matches


def test_an_infinite_expectation_does_not_make_the_bound_infinite() -> None:
    assert check([5.0], [np.inf], tolerance=Tolerance(relative=1.0)).mismatched == 1


@pytest.mark.parametrize("dtype", [dtype for dtype in Dtype if not dtype.is_float])
def test_integers_match_exactly(dtype: Dtype) -> None:
    assert check([0, 1, 1], [0, 1, 0], dtype=dtype, tolerance=Tolerance(1.0, 1.0)).mismatched == 1


def test_large_int64_values_are_not_compared_as_floats() -> None:
    got = np.array([2**60 + 1])
    comparison = compare(
        "c",
        dtype=Dtype.INT64,
        got=got,
        expected=np.array([2**60]),
        poison=None,
        tolerance=Tolerance(),
    )
    assert comparison.mismatched == 1


def test_elements_that_still_hold_the_poison_are_counted() -> None:
    poison = np.array([7.0, 8.0, 9.0], dtype=np.float32)
    comparison = check([1.0, 8.0, 9.0], [1.0, 2.0, 3.0], poison=poison)
    assert (comparison.mismatched, comparison.unwritten) == (2, 2)
    assert [mismatch.got for mismatch in comparison.mismatches] == ["never written"] * 2
    errors = [(mismatch.absolute_error, mismatch.relative_error) for mismatch in comparison.mismatches]
    assert errors == [(None, None)] * 2


def test_poison_that_is_nan_is_recognised_by_its_bits() -> None:
    poison = np.array([np.nan], dtype=np.float32)
    assert check([np.nan], [1.0], poison=poison).unwritten == 1


def test_only_the_first_mismatches_are_kept() -> None:
    comparison = check([1.0] * 100, [2.0] * 100)
    assert comparison.mismatched == 100
    assert len(comparison.mismatches) == SHOWN_MISMATCHES


def test_the_index_has_one_entry_per_dimension() -> None:
    got = np.zeros((3, 4), dtype=np.float32)
    expected = np.zeros((3, 4))
    expected[2, 1] = 5
    comparison = compare("c", dtype=Dtype.FLOAT32, got=got, expected=expected, poison=None, tolerance=TIGHT)
    assert comparison.mismatches[0].index == (2, 1)


floats = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(hnp.arrays(np.float32, st.integers(1, 30), elements=floats))
def test_what_is_stored_matches_itself(values: npt.NDArray[np.float32]) -> None:
    comparison = compare(
        "c",
        dtype=Dtype.FLOAT32,
        got=values,
        expected=values.astype(np.float64),
        poison=None,
        tolerance=Tolerance(),
    )
    assert comparison.mismatched == 0


@given(
    st.floats(-1e30, 1e30),
    st.floats(-1e30, 1e30),
    st.floats(0, 1),
    st.floats(0, 10),
)
def test_the_rule_is_the_documented_one(got: float, want: float, relative: float, absolute: float) -> None:
    comparison = check(
        [got], [want], dtype=Dtype.FLOAT64, tolerance=Tolerance(relative=relative, absolute=absolute)
    )
    assert (comparison.mismatched == 0) == (abs(got - want) <= absolute + relative * abs(want))


@given(st.floats(width=32, allow_nan=False))
def test_bfloat16_rounds_to_nearest_even(value: float) -> None:
    rounded = float(widen(narrow(np.array([value]), Dtype.BFLOAT16), Dtype.BFLOAT16)[0])
    if np.isfinite(rounded):
        assert abs(rounded - value) <= abs(value) * 2**-8 + 2**-133
    else:
        assert abs(value) > 3.38e38


def test_bfloat16_keeps_nan() -> None:
    assert np.isnan(widen(narrow(np.array([np.nan]), Dtype.BFLOAT16), Dtype.BFLOAT16)[0])
