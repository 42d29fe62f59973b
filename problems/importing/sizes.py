"""Derives sizes and formulas from tests of which only shapes and numbers are known.

Theory of operation. The data is a table with a row for each test, and a column for each number of the call
and each extent of an array. A constant column is a constant. A column of a number of the call becomes a size
with its name. Other columns are expressed by known sizes: an equal size, a multiple, a product, a difference.
A column that cannot be expressed becomes a new size, so there is always a solution. The simplest expression
that fits all tests is used. With few tests it may fit by chance, so a person should check it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations, permutations

Column = tuple[int, ...]
Shapes = Mapping[str, tuple[int, ...]]
Numbers = Mapping[str, float]

_STEPS = (1, 2, 3, 4)
_BLOCKS = (2, 4, 8, 16, 32, 64, 128, 256)
MOST = 2**31 - 1
_FEW_TESTS = 4
_SAME = Decimal("1e-6")  # relative, about the precision of float32
_AXES = ("rows", "cols", "depth", "planes")


class NoSizes(ValueError):
    """Raised if a number cannot be a size. The message names it."""


@dataclass(frozen=True, slots=True)
class SizeOrigin:
    """The origin of a size: an argument, its axis (None for a number), and the path to it."""

    argument: str
    axis: int | None
    offset: int = 0
    scale: int = 1


@dataclass(slots=True)
class Sizes:
    """Sizes by name with their value in each test, and the formulas that use them."""

    columns: dict[str, Column] = field(default_factory=dict)
    shapes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    origins: dict[str, SizeOrigin] = field(default_factory=dict)

    def of_test(self, index: int) -> dict[str, int]:
        """Return the sizes of one test."""
        return {name: column[index] for name, column in self.columns.items()}

    def add(self, name: str, column: Column, origin: SizeOrigin | None) -> str:
        """Add a size with this name or a similar one."""
        if max(column) > MOST:
            raise NoSizes(f"{name} would be {max(column)}, and a size is at most {MOST}")
        free = next(n for n in _numbered(name) if n not in self.columns)
        self.columns[free] = column
        if origin is not None:
            self.origins[free] = origin
        return free


def find_sizes(arrays: Sequence[Shapes], numbers: Sequence[Numbers], fractions: frozenset[str]) -> Sizes:
    """Return sizes for tests with these arrays and numbers by name. `fractions` are numbers of float dtypes.

    Raises:
        NoSizes: a number is not finite or too large.
    """
    sizes = Sizes()
    for name in numbers[0]:
        given = tuple(row[name] for row in numbers)
        if name in fractions:
            sizes.values[name] = _of_fraction(name, given, sizes)
        else:
            sizes.values[name] = _of_integer(name, tuple(int(value) for value in given), sizes)
    for name in arrays[0]:
        shape: list[str] = []
        for axis in range(len(arrays[0][name])):
            column = tuple(row[name][axis] for row in arrays)
            shape.append(_of_extent(name, axis, column, sizes, taken=shape, rank=len(arrays[0][name])))
        sizes.shapes[name] = tuple(shape)
    return sizes


def _numbered(name: str) -> Iterator[str]:
    name = name[:28]
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1


def _constant(column: Sequence[float]) -> bool:
    return len(set(column)) == 1 and len(column) > 1


def _of_integer(name: str, column: Column, sizes: Sizes) -> str:
    if _constant(column) or (len(column) == 1 and column[0] > MOST):  # too large for a size
        return str(column[0])
    if len(set(column)) >= _FEW_TESTS and (known := _product(column, sizes.columns)):
        return known
    if min(column) >= 1:
        return sizes.add(name, column, SizeOrigin(name, None))
    shift = 1 - min(column)
    moved = sizes.add(f"{name}_plus_{shift}", tuple(v + shift for v in column), SizeOrigin(name, None, shift))
    return f"{moved} - {shift}"


def _of_fraction(name: str, column: Sequence[float], sizes: Sizes) -> str:
    if any(value - value != 0 for value in column):
        raise NoSizes(f"{name} is not finite")
    if len(set(column)) == 1:
        return repr(float(column[0]))
    digits = _digits(name, column)
    scale = 10**digits
    whole = tuple(round(Decimal(repr(value)) * scale) for value in column)
    shift = max(0, 1 - min(whole))
    origin = SizeOrigin(name, None, shift, scale)
    size = sizes.add(f"{name}_e{digits}" if digits else name, tuple(v + shift for v in whole), origin)
    shifted = f"({size} - {shift})" if shift else size
    return f"{shifted} / {scale}" if digits else shifted.strip("()")


def _digits(name: str, column: Sequence[float]) -> int:
    """Return how many decimals represent every value of a column, as far as sizes can be that large."""
    decimals = [Decimal(repr(float(value))).normalize() for value in column]
    needed = max(max(0, -int(value.as_tuple().exponent)) for value in decimals)
    most = max(abs(value) for value in decimals)
    digits = next((d for d in range(needed, 0, -1) if 2 * most * 10**d <= MOST), 0)
    for value in decimals:
        if abs(round(value, digits) - value) > _SAME * abs(value):
            raise NoSizes(
                f"{name} is {value:f} in one test and {most:f} in another, so no size can represent both"
            )
    return digits


def _of_extent(
    array: str, axis: int, column: Column, sizes: Sizes, *, taken: Sequence[str], rank: int
) -> str:
    if _constant(column):
        return str(column[0])
    for rule in _RULES:
        found = list(rule(column, sizes.columns))
        if found:
            return next((text for text in found if text not in taken), found[0])
    name = f"{array}_{'count' if rank == 1 else _AXES[axis]}"
    return sizes.add(name, column, SizeOrigin(array, axis))


Rule = Callable[[Column, Mapping[str, Column]], Iterator[str]]


def _same(column: Column, sizes: Mapping[str, Column]) -> Iterator[str]:
    yield from (name for name, known in sizes.items() if known == column)


def _near(column: Column, sizes: Mapping[str, Column]) -> Iterator[str]:
    for name, known in sizes.items():
        for step in _STEPS:
            if all(v == k + step for v, k in zip(column, known, strict=True)):
                yield f"{name} + {step}"
            if all(v == k - step for v, k in zip(column, known, strict=True)):
                yield f"{name} - {step}"


def _multiple(column: Column, sizes: Mapping[str, Column]) -> Iterator[str]:
    for name, known in sizes.items():
        factor = column[0] // known[0]
        if factor > 1 and all(v == k * factor for v, k in zip(column, known, strict=True)):
            yield f"{factor} * {name}"


def _part(column: Column, sizes: Mapping[str, Column]) -> Iterator[str]:
    for name, known in sizes.items():
        for block in _BLOCKS:
            if all(v == k // block for v, k in zip(column, known, strict=True)):
                yield f"{name} // {block}"
            elif all(v == (k + block - 1) // block for v, k in zip(column, known, strict=True)):
                yield f"({name} + {block - 1}) // {block}"


def _products(column: Column, sizes: Mapping[str, Column]) -> Iterator[str]:
    for count in (2, 3, 4):
        for names in combinations(sizes, count):
            products = [1] * len(column)
            for name in names:
                products = [p * k for p, k in zip(products, sizes[name], strict=True)]
            factor = column[0] // products[0]
            if factor >= 1 and all(v == p * factor for v, p in zip(column, products, strict=True)):
                text = " * ".join(names)
                yield text if factor == 1 else f"{factor} * {text}"


def _differences(column: Column, sizes: Mapping[str, Column]) -> Iterator[str]:
    for left, right in permutations(sizes, 2):
        pairs = list(zip(column, sizes[left], sizes[right], strict=True))
        for step in (1, 0):
            if all(v == a - b + step for v, a, b in pairs):
                yield f"{left} - {right}" + (f" + {step}" if step else "")
        if left < right:
            for step in (0, -1):
                if all(v == a + b + step for v, a, b in pairs):
                    yield f"{left} + {right}" + (f" - {-step}" if step else "")


def _quotients(column: Column, sizes: Mapping[str, Column]) -> Iterator[str]:
    for left, right in permutations(sizes, 2):
        pairs = list(zip(column, sizes[left], sizes[right], strict=True))
        if all(v == a // b for v, a, b in pairs):
            yield f"{left} // {right}"
        elif all(v == (a + b - 1) // b for v, a, b in pairs):
            yield f"({left} + {right} - 1) // {right}"


_RULES: tuple[Rule, ...] = (_same, _near, _multiple, _products, _differences, _part, _quotients)


def _product(column: Column, sizes: Mapping[str, Column]) -> str:
    """Return the product that equals a number of the call, if any.

    Other expressions would likely be chance.
    """
    if min(column) < 1:
        return ""
    return next(_products(column, sizes), "")
