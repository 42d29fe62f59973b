"""Computes shapes and scalars from the sizes of a case, and checks custom sizes of users."""

import math
from collections.abc import Mapping

from problems.formula import FormulaError
from problems.parse import MAX_SIZE
from problems.schema import Argument, Case, Problem, ValueRule
from problems.value_rules import range_of
from problems.vocabulary import Role

MAX_CUSTOM_BYTES = 256 * 2**20
MAX_SEED = 2**63 - 1  # of a custom seed; seeds of the judge have 128 bits


class CustomCaseInvalid(ValueError):
    """Base class of errors in a user's custom case. The message is for the user."""


class SizesInvalid(CustomCaseInvalid):
    """Raised if custom sizes do not fit the problem."""


def size_names(problem: Problem) -> tuple[str, ...]:
    """Return the names of the problem's sizes, in the order of its first case."""
    return tuple(problem.cases[0].sizes)


def size_limits(problem: Problem) -> dict[str, int]:
    """Return the greatest value of each size in a custom case, in the order of `size_names`."""
    return {name: problem.limits.sizes.get(name, MAX_SIZE) for name in size_names(problem)}


def shape_of(argument: Argument, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the shape of an array argument. Raises FormulaError if it cannot be computed."""
    return tuple(formula.evaluate(sizes) for formula in argument.shape)


def bytes_of(argument: Argument, sizes: Mapping[str, int]) -> int:
    """Return the size of an array argument in bytes."""
    return math.prod(shape_of(argument, sizes)) * argument.dtype.itemsize


def scalar_of(argument: Argument, case: Case) -> int | float:
    """Return the value of a scalar argument in `case`. Raises FormulaError if it cannot be computed."""
    if argument.name in case.scalars:
        return case.scalars[argument.name]
    if argument.value is None:
        raise FormulaError(f"{argument.name} was not drawn")
    return argument.value.number(case.sizes)


def check_size_values(limits: Mapping[str, int], sizes: Mapping[str, int]) -> None:
    """Check that `sizes` gives each size in `limits` a value from 1 to its limit, and nothing else.

    Raises:
        SizesInvalid: a size is missing, unknown, or out of range.
    """
    if set(sizes) != set(limits):
        raise SizesInvalid(f"Enter exactly these sizes: {', '.join(limits)}.")
    for name, value in sizes.items():
        if not 1 <= value <= limits[name]:
            raise SizesInvalid(f"The size {name} must be from 1 to {limits[name]}, not {value}.")


def check_sizes(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Check sizes that a user chose.

    Raises:
        SizesInvalid: a name is unknown or missing, a value is out of range, a shape is empty, a scalar has no
            value in its dtype, or the arrays would need more than MAX_CUSTOM_BYTES.
    """
    check_size_values(size_limits(problem), sizes)
    arrays = [argument for argument in problem.arguments if argument.role is not Role.SCALAR]
    try:
        shapes = {argument.name: shape_of(argument, sizes) for argument in arrays}
    except FormulaError as error:
        raise SizesInvalid(f"These sizes do not work: {error}.") from error
    for name, shape in shapes.items():
        if any(extent < 1 for extent in shape):
            raise SizesInvalid(f"These sizes make {name} empty: its shape would be {shape}.")
    _check_scalars(problem, sizes)
    total = sum(bytes_of(argument, sizes) for argument in arrays)
    if total > MAX_CUSTOM_BYTES:
        raise SizesInvalid(
            f"These sizes need {total / 2**20:.0f} MiB of arrays; "
            f"at most {MAX_CUSTOM_BYTES // 2**20} MiB are allowed."
        )


def _check_scalars(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Check that each scalar, or the range that it is drawn from, fits its dtype."""
    for argument in problem.arguments:
        if argument.role is not Role.SCALAR:
            continue
        rule = argument.values or ValueRule()
        formulas = (argument.value, rule.least, rule.most)
        try:
            numbers = [formula.number(sizes) for formula in formulas if formula is not None]
        except FormulaError as error:
            raise SizesInvalid(f"These sizes do not work: {error}.") from error
        least, most = range_of(argument.dtype)
        if not all(least <= number <= most for number in numbers):
            raise SizesInvalid(f"These sizes make {argument.name} {max(numbers)}, beyond {argument.dtype}.")
        if numbers != sorted(numbers):
            raise SizesInvalid(f"These sizes leave no value for {argument.name}: its range is empty.")
