"""Describes the distribution of tests' contents, so that similar contents can be drawn for other sizes."""

from collections.abc import Iterator, Sequence

from problems.importing.described import Array, Test
from problems.vocabulary import Dtype

Law = tuple[str, float, float]

_EXACT_BELOW = 2**53  # float64 distinguishes all whole numbers below
_NORMAL_BELOW = 0.22  # deviation over range: 0.29 for uniform numbers, less for normal ones
_FEW = 16  # fewer elements may be in order by chance


def law_of(name: str, dtype: Dtype, tests: Sequence[Test]) -> Law:
    """Return the distribution of an array's contents: its kind and two parameters."""
    seen = [*_seen(name, tests)]
    if not seen:
        return ("integers", 0, 1) if not dtype.is_float else ("uniform", -1.0, 1.0)
    most = max(seen, key=lambda array: (array.deviation > 0, array.elements))
    low, high = most.low or 0.0, most.high or 0.0
    if low == high:
        return ("constant", low if dtype.is_float else int(low), 0)
    if not dtype.is_float or dtype is Dtype.BOOL:
        return ("integers", int(low), int(high))
    order = "sorted " if is_sorted(name, tests) else ""
    if all(array.whole for array in seen) and max(-low, high) < _EXACT_BELOW:
        return (f"{order}whole", int(low), int(high))
    if most.deviation < _NORMAL_BELOW * (high - low):
        return (f"{order}normal", most.mean, most.deviation)
    return (f"{order}uniform", low, high)


def is_sorted(name: str, tests: Sequence[Test]) -> bool:
    """Return whether the rows of an array ascend in every test, and not by chance."""
    varied = [array for array in _seen(name, tests) if array.deviation > 0]
    return any(array.shape[-1:] >= (_FEW,) for array in varied) and all(array.ordered for array in varied)


def most_of(name: str, tests: Sequence[Test]) -> float | None:
    """Return the greatest element in all tests; None if no contents are known."""
    return max((array.high for array in _seen(name, tests) if array.high is not None), default=None)


def _seen(name: str, tests: Sequence[Test]) -> Iterator[Array]:
    for test in tests:
        value = test.values.get(name)
        if isinstance(value, Array) and value.low is not None:
            yield value
