"""Derives a formula over the sizes of a package from the operations that a set's author counts."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from problems.importing.planning import Plan

_UNKNOWNS = 2  # so many tests are needed to confirm a sum of two products
_FEW_NAMES = 6


def operations_formula(plan: Plan) -> tuple[str, bool]:
    """Return the operations of a case as a formula over its sizes, and whether this is the author's count."""
    counts: Mapping[int, float] = {
        index: test.operations for index, test in enumerate(plan.tests) if test.operations is not None
    }
    names = [name for name in plan.sizes.columns if name != "variant"]
    fitted = _fitted(plan, counts, names) if len(counts) == len(plan.tests) else ""
    if fitted:
        return fitted, True
    outputs = [plan.sizes.shapes[a.ours] for a in plan.arrays if a.written]
    return " * ".join(f"({text})" if " " in text else text for text in outputs[0]), False


def _fitted(plan: Plan, counts: Mapping[int, float], names: Sequence[str]) -> str:
    """Return `factor * a * b`, or a sum of two such products, that gives every count, if there is one."""
    subsets = sorted(
        (
            tuple(name for bit, name in enumerate(names) if pattern >> bit & 1)
            for pattern in range(2 ** min(len(names), 8))
        ),
        key=len,
    )
    rows = {
        subset: [math.prod(plan.sizes.columns[name][index] for name in subset) for index in counts]
        for subset in subsets
    }
    wanted = [*counts.values()]
    for subset, products in rows.items():
        factors = {count / product for count, product in zip(wanted, products, strict=True)}
        if len(factors) == 1 and (factor := factors.pop()) == int(factor) and factor >= 1:
            return _term(int(factor), subset)
    if len(set(wanted)) <= _UNKNOWNS or len(names) > _FEW_NAMES:
        return ""
    for first, second in combinations(reversed(subsets), 2):
        if found := _two_factors(rows[first], rows[second], wanted):
            return f"{_term(found[0], first)} + {_term(found[1], second)}"
    return ""


def _two_factors(
    first: Sequence[int], second: Sequence[int], wanted: Sequence[float]
) -> tuple[int, int] | None:
    """Return whole factors of two products whose sum is right in every test.

    They are solved from two tests.
    """
    for left, right in combinations(range(len(wanted)), 2):
        determinant = first[left] * second[right] - first[right] * second[left]
        if determinant == 0:
            continue
        one = Fraction(wanted[left]) * second[right] - Fraction(wanted[right]) * second[left]
        two = Fraction(wanted[right]) * first[left] - Fraction(wanted[left]) * first[right]
        one, two = one / determinant, two / determinant
        if one.denominator != 1 or two.denominator != 1 or one < 1 or two < 1:
            return None
        fits = all(one * a + two * b == Fraction(w) for a, b, w in zip(first, second, wanted, strict=True))
        return (int(one), int(two)) if fits else None
    return None


def _term(factor: int, names: Sequence[str]) -> str:
    return " * ".join([*([] if factor == 1 and names else [str(factor)]), *names])
