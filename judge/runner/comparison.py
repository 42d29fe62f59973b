"""Compares every element of an output with its expected value.

The rule is that of `problems.schema.Tolerance`: `|got - expected| <= absolute + relative * |expected|`. NaN
matches only NaN, and only if the problem says so. An infinity matches only the same infinity. Integers and
booleans match exactly.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from judge.dtypes import narrow, widen
from judge.report import Mismatch
from problems.schema import Tolerance
from problems.vocabulary import Dtype

SHOWN_MISMATCHES = 10
UNWRITTEN = "never written"


@dataclass(frozen=True, slots=True)
class OutputComparison:
    """The result of comparing one output. `unwritten` counts mismatches that still hold the poison.

    `added` counts integers that are the sum of the expected value and the poison. A GPU does not count them.
    """

    checked: int
    mismatched: int
    unwritten: int
    mismatches: tuple[Mismatch, ...]
    added: int = field(default=0, compare=False)


def compare(
    name: str,
    *,
    dtype: Dtype,
    got: npt.NDArray[np.generic],
    expected: npt.NDArray[np.generic],
    poison: npt.NDArray[np.generic] | None,
    tolerance: Tolerance,
) -> OutputComparison:
    """Compare the output `name`.

    Args:
        name: the argument's name, for the mismatches.
        dtype: its element type.
        got: stored elements (see `judge.dtypes.storage`), in the output's shape.
        expected: float64 for floats, else the dtype itself; same shape.
        poison: the contents of the output before the call, same shape and storage, None if it was not
            poisoned.
        tolerance: how far apart floats may be; ignored for other dtypes.
    """
    values = widen(got, dtype)
    wrong, unwritten = find_wrong(
        values, got, expected=expected, poison=poison, dtype=dtype, tolerance=tolerance
    )
    flat = np.flatnonzero(wrong)
    first = flat[:SHOWN_MISMATCHES]
    shown = describe(
        name,
        got.shape,
        first,
        got=values.reshape(-1)[first],
        expected=expected.reshape(-1)[first],
        unwritten=np.broadcast_to(unwritten, got.shape).reshape(-1)[first],
    )
    added = 0
    if poison is not None and dtype.is_integer:
        bits = np.dtype(f"u{got.dtype.itemsize}")  # unsigned, so that sums wrap
        more = got[wrong].view(bits) - poison[wrong].view(bits)
        added = int(np.count_nonzero(more == expected[wrong].view(bits)))
    return OutputComparison(int(got.size), int(flat.size), int(np.count_nonzero(unwritten)), shown, added)


def find_wrong(
    values: npt.NDArray[np.generic],
    got: npt.NDArray[np.generic],
    *,
    expected: npt.NDArray[np.generic],
    poison: npt.NDArray[np.generic] | None,
    dtype: Dtype,
    tolerance: Tolerance,
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which elements are wrong, and which of these hold the poison. `values` is `got`, widened."""
    wrong: npt.NDArray[np.bool_] = (
        ~_close(values, expected, dtype, tolerance) if dtype.is_float else values != expected
    )
    held = _same_bits(got, poison) if poison is not None else np.zeros(got.shape, np.bool_)
    if dtype is Dtype.BOOL:
        wrong = wrong | held  # any byte except 0 is true, so poison would pass if true is expected
    return wrong, wrong & held


def describe(
    name: str,
    shape: tuple[int, ...],
    places: npt.NDArray[np.integer],
    *,
    got: npt.NDArray[np.generic],
    expected: npt.NDArray[np.generic],
    unwritten: npt.NDArray[np.bool_],
) -> tuple[Mismatch, ...]:
    """Return the mismatches at `places`, indices into the flattened output of this shape.

    `got` are values (see `judge.dtypes.widen`), `unwritten` says which of them are the poison.
    """
    return tuple(
        _mismatch(
            name, tuple(int(i) for i in np.unravel_index(int(at), shape)), is_, want, untouched=bool(left)
        )
        for at, is_, want, left in zip(places, got, expected, unwritten, strict=True)
    )


def _close(
    got: npt.NDArray[np.generic],
    expected: npt.NDArray[np.generic],
    dtype: Dtype,
    tolerance: Tolerance,
) -> npt.NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        # An expected value beyond the dtype's range becomes infinite.
        want = np.where(
            np.isinf(widen(narrow(expected, dtype), dtype)), np.copysign(np.inf, expected), expected
        )
        bound = tolerance.absolute + tolerance.relative * np.abs(want)
        near = np.abs(got - want) <= bound
        close = np.where(np.isfinite(want), np.isfinite(got) & near, got == want)
        both_nan = np.isnan(got) & np.isnan(want)
        result: npt.NDArray[np.bool_] = np.where(np.isnan(want), both_nan & tolerance.nan, close)
    return result


def _same_bits(left: npt.NDArray[np.generic], right: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    unsigned = np.dtype(f"u{left.dtype.itemsize}")
    same: npt.NDArray[np.bool_] = left.view(unsigned) == right.view(unsigned)
    return same


def _mismatch(
    name: str, index: tuple[int, ...], got: np.generic, expected: np.generic, *, untouched: bool
) -> Mismatch:
    if untouched:  # the element holds the poison, so its error has no meaning
        return Mismatch(name, index, as_text(expected), UNWRITTEN, absolute_error=None, relative_error=None)
    got_value, want_value = float(got), float(expected)
    absolute = abs(got_value - want_value)
    finite = bool(np.isfinite(absolute))
    return Mismatch(
        argument=name,
        index=index,
        expected=as_text(expected),
        got=as_text(got),
        absolute_error=absolute if finite else None,
        relative_error=absolute / abs(want_value) if finite and want_value else None,
    )


def as_text(value: np.generic) -> str:
    """Return a value as users see it."""
    return f"{float(value):.9g}" if isinstance(value, np.floating) else str(value)
