"""Decides which sizes may be invented: sizes that keep the relations between the sizes of all tests.

Theory of operation. A set hardly documents which sizes its reference, its tolerance and solutions support.
Only its tests are certainly valid. So an invented size stays between the least and the greatest size of the
tests and keeps their common divisors. If one size is a multiple of another in all tests, or never above it,
this relation is kept. If integers in an input are less than a size in all tests, as indices are, they stay
less. With few tests, some relations hold by chance. Then fewer sizes are invented, which is harmless.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Self

Column = Sequence[int]
Comparison = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Relations:
    """The relations between sizes in all tests. `above` are contents that sizes must exceed."""

    columns: Mapping[str, Column] = field(default_factory=dict)
    multiples: tuple[tuple[str, str], ...] = ()
    ordered: tuple[tuple[str, str, bool], ...] = ()
    above: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Mapping[str, Column], contents: Iterable[Sequence[float | None]] = ()) -> Self:
        """Return the relations of sizes with these values in each test.

        `contents` are the greatest elements of integer inputs in each test, None where unknown.
        """
        pairs = [*permutations(columns, 2)]
        return cls(
            columns,
            tuple(pair for pair in pairs if _all(pair, columns, lambda a, b: a % b == 0)),
            tuple(
                (left, right, _all((left, right), columns, lambda a, b: a < b))
                for left, right in pairs
                if _all((left, right), columns, lambda a, b: a <= b)
            ),
            _above(columns, [*contents]),
        )

    def allow(self, sizes: Mapping[str, int], *, smaller: bool = False, larger: bool = False) -> bool:
        """Return whether a case may have these sizes.

        With `smaller`, they may be below all tests, and with `larger` above all tests.
        """
        return (
            all(self._fits(name, sizes[name], smaller=smaller, larger=larger) for name in self.columns)
            and all(sizes[a] % sizes[b] == 0 for a, b in self.multiples)
            and all(sizes[a] < sizes[b] or (sizes[a] == sizes[b] and not less) for a, b, less in self.ordered)
            and all(sizes[name] > most for name, most in self.above.items())
        )

    def equal(self, name: str) -> set[str]:
        """Return the sizes that equal `name` in all tests."""
        return {other for other in self.tied(name) if self.columns[other] == self.columns[name]}

    def tied(self, name: str) -> set[str]:
        """Return the sizes that divide `name` in all tests or are multiples of it."""
        return {other for pair in self.multiples if name in pair for other in pair} - {name}

    def _fits(self, name: str, value: int, *, smaller: bool, larger: bool) -> bool:
        column = self.columns[name]
        if all(_is_power(known) for known in column) and not _is_power(value):
            return False
        if not smaller and (value < min(column) or value % math.gcd(*column)):
            return False
        return larger or value <= max(column)


def _all(pair: tuple[str, str], columns: Mapping[str, Column], holds: Comparison) -> bool:
    left, right = (columns[name] for name in pair)
    return all(holds(a, b) for a, b in zip(left, right, strict=True))


def _above(columns: Mapping[str, Column], contents: Sequence[Sequence[float | None]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for most in contents:
        known = [index for index, value in enumerate(most) if value is not None]
        for name, column in columns.items():
            if known and all(column[index] > (most[index] or 0) for index in known):
                greatest = max(most[index] or 0 for index in known)
                found[name] = max(found.get(name, 0), greatest)
    return found


def _is_power(value: int) -> bool:
    return value & (value - 1) == 0
