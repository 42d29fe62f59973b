"""Checks values against a problem's promises about an argument, and whether users may give custom values."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from problems.schema import Argument
from problems.vocabulary import Dtype, Role, ValueOrder

_FLOAT_RANGE = {
    Dtype.FLOAT16: 65504.0,
    Dtype.FLOAT32: 3.4028234663852886e38,
    Dtype.BFLOAT16: 3.3895313892515355e38,
}


def why_not_custom(argument: Argument, arguments: Iterable[Argument], *, checker: bool) -> str:
    """Return why users may not give values for one of the `arguments` of a problem; empty if they may.

    An array of integers may hold indices, so it needs a rule that says what they may be.
    """
    name, rule = argument.name, argument.values
    if argument.role is Role.OUT:
        return f"{name} is an output. Remove its values."
    if rule is not None and not rule.custom:
        return f"The problem does not allow custom values for {name}. Remove them to have its values drawn."
    if argument.role is Role.SCALAR:
        return _why_not_scalar(argument, arguments, checker=checker)
    if rule is None and not argument.dtype.is_float and argument.dtype is not Dtype.BOOL:
        return (
            f"The problem does not say which values {name} may hold, and they may be indices. "
            "Remove them to have its values drawn."
        )
    return ""


def _why_not_scalar(argument: Argument, arguments: Iterable[Argument], *, checker: bool) -> str:
    """A scalar that follows from the length of an array must agree with it. A checker knows no formulas."""
    if argument.value is None:
        return ""
    lengths = {size for known in arguments for formula in known.shape for size in formula.names}
    if argument.value.names & lengths:
        return f"{argument.name} follows from the sizes. Change the sizes instead."
    return (
        f"The checker of this problem relies on the value of {argument.name}. Remove it." if checker else ""
    )


def broken_promise(
    argument: Argument, row: int, sizes: Mapping[str, int], values: Sequence[float]
) -> tuple[int, str] | None:
    """Return the position, from 0, of the first value that breaks the rule of `argument`, and why; else None.

    `values` are flattened in C order, and `row` is the length of a row: the last extent of the shape. Raises
    FormulaError where a bound cannot be computed.
    """
    rule = argument.values
    if rule is None:
        return None
    least = -math.inf if rule.least is None else rule.least.number(sizes)
    most = math.inf if rule.most is None else rule.most.number(sizes)
    if rule.least is not None or rule.most is not None:
        for at, value in enumerate(values):
            if not least <= value <= most:
                return at, f"must be {_between(least, most)}"
    match rule.order:
        case ValueOrder.PERMUTATION:
            return _not_permuted(values, row)
        case ValueOrder.ASCENDING | ValueOrder.INCREASING as order:
            return _not_ordered(values, row, strictly=order is ValueOrder.INCREASING)
    return None


def range_of(dtype: Dtype) -> tuple[float, float]:
    """The least and the greatest finite value of `dtype`. Exact for integers."""
    if dtype is Dtype.BOOL:
        return 0, 1
    if dtype.is_float:
        most = _FLOAT_RANGE.get(dtype, 1.7976931348623157e308)
        return -most, most
    bits = 8 * dtype.itemsize
    if dtype.value.startswith("uint"):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _between(least: float, most: float) -> str:
    if least == -math.inf:
        return f"{most} or less"
    return f"{least} or more" if most == math.inf else f"from {least} to {most}"


def _not_ordered(values: Sequence[float], row: int, *, strictly: bool) -> tuple[int, str] | None:
    said = "must be above" if strictly else "must not be below"
    for at, (before, value) in enumerate(pairwise(values), start=1):
        if at % row and not (before < value if strictly else before <= value):
            return at, f"{said} the value before it, {before}"
    return None


def _not_permuted(values: Sequence[float], row: int) -> tuple[int, str] | None:
    for start in range(0, len(values), row):
        seen: set[float] = set()
        for at, value in enumerate(values[start : start + row], start=start):
            if not 0 <= value < row:
                return at, f"must be an index from 0 to {row - 1}, each of them once"
            if value in seen:
                return at, f"comes twice; each index from 0 to {row - 1} must come once"
            seen.add(value)
    return None
