"""Custom cases of users: sizes, and values that replace drawn inputs.

Arrays are flat, in C order; a scalar is an array of one value. `judge.value_text` reads single arguments.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from judge.sizes import SizesInvalid, check_size_values, check_sizes, shape_of
from judge.value_text import GivenArray, ValuesInvalid, read_array, read_number, shorten
from problems.formula import FormulaError
from problems.schema import Argument, Case, Problem, Tolerance
from problems.value_rules import broken_promise, why_not_custom
from problems.vocabulary import Group, Role

CUSTOM = "custom"  # the name of the case
Values = Mapping[str, tuple[float, ...]]
NO_VALUES: Values = MappingProxyType({})


def read_values(
    arguments: Sequence[Argument],
    given: Mapping[str, object],
    sizes: Mapping[str, int],
    *,
    limits: Mapping[str, int],
    most: int,
) -> tuple[dict[str, int], dict[str, tuple[float, ...]]]:
    """Return all sizes, and the values in `given`; see `judge.value_text.read_array`.

    If `sizes` lacks a size and an extent of a shape is just this size, the values determine it. At most
    `most` values may be given for an argument. `limits` are the greatest values of the problem's sizes.
    Callers must call `check_values` next.

    Raises:
        ValuesInvalid: an argument is unknown, or its values are not of its dtype or shape.
        SizesInvalid: a size is missing, unknown or out of range.
    """
    known = {argument.name: argument for argument in arguments}
    found, read = dict(sizes), dict[str, GivenArray]()
    for name, said in given.items():
        read[name] = read_array(_argument(known, name), said, most=most)
        for size, extent in _told(known[name], read[name].extents):
            found.setdefault(size, extent)
    if missing := [name for name in limits if name not in found]:
        raise SizesInvalid(f"Enter the size {missing[0]}, which the given values do not determine.")
    check_size_values(limits, found)
    for name, array in read.items():
        shape = _shape(known[name], found)
        if len(array.extents) > 1 and array.extents != shape:
            raise ValuesInvalid(
                f"{name}: its brackets make it {_by(array.extents)}, but its shape is {_by(shape)}. "
                "Change the array or the sizes."
            )
    return found, {name: array.values for name, array in read.items()}


def check_values(
    arguments: Sequence[Argument], sizes: Mapping[str, int], values: Values, *, checker: bool
) -> None:
    """Check that users may give these values, and that the values obey the problem's promises.

    Raises:
        ValuesInvalid: users may not give them, or they do not fit the shape, the dtype or the promise.
        SizesInvalid: a shape cannot be computed from the sizes.
    """
    known = {argument.name: argument for argument in arguments}
    for name, given in values.items():
        argument = _argument(known, name)
        if reason := why_not_custom(argument, arguments, checker=checker):
            raise ValuesInvalid(reason)
        shape = _shape(argument, sizes)
        if len(given) != math.prod(shape):
            raise ValuesInvalid(_wrong_count(argument, len(given), shape, sizes))
        for at, value in enumerate(given, start=1):
            read_number(argument, value, at)
        try:
            broken = broken_promise(argument, shape[-1], sizes, given)
        except FormulaError as error:
            raise SizesInvalid(f"These sizes do not work: {error}.") from error
        if broken:
            at, reason = broken
            raise ValuesInvalid(f"{name}: value {at + 1}, {given[at]}, {reason}.")


def custom_case(problem: Problem, sizes: Mapping[str, int], values: Values) -> Case:
    """Return the case with custom sizes and values. Raises judge.sizes.CustomCaseInvalid."""
    if problem.under_test is not None:
        raise SizesInvalid("The programs under test are fixed, so custom sizes and values are not possible.")
    check_sizes(problem, sizes)
    check_values(problem.arguments, sizes, values, checker=problem.checker is not None)
    scalars = {argument.name for argument in problem.arguments if argument.role is Role.SCALAR}
    return Case(
        CUSTOM,
        Group.SAMPLE,
        dict(sizes),
        inputs={name: given for name, given in values.items() if name not in scalars},
        scalars={name: given[0] for name, given in values.items() if name in scalars},
    )


def matching_nan(problem: Problem) -> Problem:
    """Return `problem` with NaN matching an expected NaN, because custom values may contain NaN."""
    return replace(
        problem,
        arguments=tuple(
            replace(argument, tolerance=replace(argument.tolerance or Tolerance(), nan=True))
            if argument.role in {Role.OUT, Role.INOUT}
            else argument
            for argument in problem.arguments
        ),
    )


def to_json(values: Values) -> dict[str, list[float | str]]:
    """Return `values` as JSON values. Infinities and NaN become strings."""
    return {
        name: [value if math.isfinite(value) else str(value) for value in given]
        for name, given in values.items()
    }


def from_json(body: Mapping[str, Iterable[float | str]]) -> dict[str, tuple[float, ...]]:
    """Return the values from the output of `to_json`."""
    return {
        name: tuple(float(value) if isinstance(value, str) else value for value in given)
        for name, given in body.items()
    }


def as_text(values: Iterable[float | str]) -> str:
    """Return values, or their JSON form, as text that `read_array` accepts."""
    return ", ".join(str(value).removesuffix(".0") for value in values)


def _argument(known: Mapping[str, Argument], name: str) -> Argument:
    if name not in known:
        raise ValuesInvalid(f"{shorten(name)} is not an argument. Remove its values.")
    return known[name]


def _told(argument: Argument, extents: tuple[int, ...]) -> Iterator[tuple[str, int]]:
    """Yield the sizes that the extents of the values determine."""
    if len(extents) != len(argument.shape):
        return
    for formula, extent in zip(argument.shape, extents, strict=True):
        if formula.text.strip() in formula.names:
            yield formula.text.strip(), extent


def _shape(argument: Argument, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the shape of an argument. A scalar is an array of one value."""
    if argument.role is Role.SCALAR:
        return (1,)
    try:
        return shape_of(argument, sizes)
    except FormulaError as error:
        raise SizesInvalid(f"These sizes do not work: {error}.") from error


def _wrong_count(argument: Argument, count: int, shape: tuple[int, ...], sizes: Mapping[str, int]) -> str:
    names = sorted({name for formula in argument.shape for name in formula.names})
    where = f" with {', '.join(f'{name} = {sizes[name]}' for name in names)}" if names else ""
    alone = [formula.text.strip() for formula in argument.shape] == names
    other = f", or change {names[0]} to {count}" if alone else ", or change the sizes" if names else ""
    given = "1 value is given" if count == 1 else f"{count} values are given"
    return f"{argument.name}: {given}, but its shape{where} is {_by(shape)}. Enter {math.prod(shape)}{other}."


def _by(shape: Iterable[int]) -> str:
    return " \N{MULTIPLICATION SIGN} ".join(str(extent) for extent in shape)
