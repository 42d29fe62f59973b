"""Derives cases from tests: assigns tests to groups, and invents cases of other sizes for empty groups.

Invented cases keep the relations between the sizes of all tests, see `problems.importing.relations`. Their
contents are drawn with the distribution of the tests' contents, between the least and the greatest value.
This is right for plain data and wrong for structured data, so the import always reports it.
"""

import math
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from problems.formula import Formula, FormulaError
from problems.importing.described import Array, Test
from problems.importing.names import case_name
from problems.importing.planning import VARIANT, Plan
from problems.importing.report import Refused
from problems.parse import MAX_CASES
from problems.rules import MAX_BYTES
from problems.vocabulary import Dtype, Group, Role

MIN_TIMED_BYTES = 1 << 20
GOOD_TIMED_BYTES = 128 << 20  # beyond the L2 cache
MAX_TIMED_BYTES = 4 << 30  # several sets are in memory at once
_TIMED_FROM_BYTES = 32 << 20  # too slow for a CPU
_MOST_TIMED = 4
_LARGE_ELEMENTS = 50_000
_GOOD_LARGE_ELEMENTS = 200_000
_SCALABLE_FROM = 16
_MOST_SHOWN = 64
_ODD = 37
_GOOD_SMALL_BYTES = 64 << 10
_MOST_TRIED = 1024
_GROUPS = (Group.SAMPLE, Group.SMALL, Group.ODD, Group.LARGE, Group.TIMED)


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """A case. `test` is the author's test, None for an invented case with drawn contents."""

    name: str
    group: Group
    sizes: Mapping[str, int]
    test: Test | None = None
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cases:
    """All cases of a package, and suggested sizes for timed cases by the case's name."""

    cases: tuple[PlannedCase, ...]
    offered: Mapping[str, Mapping[str, int]]


def plan_cases(plan: Plan, *, scale: bool, without: Mapping[str, str] | None = None) -> Cases:
    """Return the cases of a problem, in the order in which they are judged.

    With `scale`, small timed cases are enlarged. `without` maps impossible cases to the reason.

    Raises:
        Refused: no case is left.
    """
    cases: list[PlannedCase] = []
    for index, test in enumerate(plan.tests):
        sizes = plan.sizes.of_test(index)
        group = _group(plan, test, sizes)
        inputs = _literals(plan, test) if group is Group.SAMPLE else {}
        cases.append(PlannedCase(case_name(test.name, (c.name for c in cases)), group, sizes, test, inputs))
    cases = list(_few_timed(plan, _sound(plan, cases, without or {})))
    offered = _scale_timed(plan, cases, scale=scale)
    _fill_groups(plan, cases, without or {})
    cases.sort(key=lambda case: _GROUPS.index(case.group))
    if len(cases) > MAX_CASES:
        plan.warnings.append(f"only the first {MAX_CASES} of {len(cases)} tests are cases")
    return Cases(tuple(cases[:MAX_CASES]), offered)


def _sound(plan: Plan, cases: Iterable[PlannedCase], without: Mapping[str, str]) -> list[PlannedCase]:
    kept = []
    for case in cases:
        if case.name in without:
            plan.warnings.append(f"left out {case.name}: {without[case.name]}")
        else:
            kept.append(case)
    if not kept:
        raise Refused("none of its tests can be drawn: " + "; ".join(dict.fromkeys(without.values())))
    return kept


def bytes_of(plan: Plan, sizes: Mapping[str, int]) -> int:
    """Return the bytes of all arrays of a case. Raises FormulaError if a shape cannot be computed."""
    return sum(_elements(plan, name, sizes) * dtype.itemsize for name, dtype in _arrays(plan))


def _arrays(plan: Plan) -> Iterator[tuple[str, Dtype]]:
    for argument in plan.arrays:
        yield argument.ours, argument.dtype


def _elements(plan: Plan, name: str, sizes: Mapping[str, int]) -> int:
    shape = [Formula.parse(text).evaluate(sizes) for text in plan.sizes.shapes[name]]
    if min(shape) < 1:
        raise FormulaError(f"{name} is empty")
    return math.prod(shape)


def _group(plan: Plan, test: Test, sizes: Mapping[str, int]) -> Group:
    total = bytes_of(plan, sizes)
    if test.part == "performance" or total > min(_TIMED_FROM_BYTES, MAX_BYTES):
        return Group.TIMED
    if test.part == "example":
        return Group.SAMPLE
    counts = [_elements(plan, name, sizes) for name, _ in _arrays(plan)]
    if sum(counts) >= _LARGE_ELEMENTS:
        return Group.LARGE
    return Group.ODD if any(count % 2 for count in counts) else Group.SMALL


def _few_timed(plan: Plan, cases: list[PlannedCase]) -> Iterator[PlannedCase]:
    """Return at most a few timed cases, from the smallest to the largest: each occupies a whole GPU."""
    timed = sorted((c for c in cases if c.group is Group.TIMED), key=lambda c: bytes_of(plan, c.sizes))
    step = max(1.0, (len(timed) - 1) / max(1, _MOST_TIMED - 1))
    kept = {timed[round(i * step)].name for i in range(min(len(timed), _MOST_TIMED))}
    if len(kept) < len(timed):
        plan.warnings.append(f"{len(kept)} of {len(timed)} large tests became timed cases")
    yield from (case for case in cases if case.group is not Group.TIMED or case.name in kept)


def _scale_timed(plan: Plan, cases: list[PlannedCase], *, scale: bool) -> dict[str, dict[str, int]]:
    offered: dict[str, dict[str, int]] = {}
    for index, case in enumerate(cases):
        if case.group is not Group.TIMED:
            continue
        total = bytes_of(plan, case.sizes)
        if total < MIN_TIMED_BYTES:
            sizes = scaled(plan, case.sizes, GOOD_TIMED_BYTES, beyond=True)
            said = f"the timed case {case.name} has {total / 1024:.0f} KiB of arrays, less than 1 MiB"
            if sizes == case.sizes:
                plan.warnings.append(f"{said}, and none of its sizes can be enlarged")
                continue
            offered[case.name] = sizes
            if scale:
                cases[index] = PlannedCase(case.name, case.group, sizes)
            better = f"{'enlarged to' if scale else 'better sizes are'} {_told(sizes)}"
            plan.warnings.append(
                f"{said}: {better}, with contents like those of the tests; "
                "check that the reference can compute that much"
            )
        elif total > MAX_TIMED_BYTES:
            sizes = scaled(plan, case.sizes, MAX_TIMED_BYTES // 2)
            if bytes_of(plan, sizes) > MAX_TIMED_BYTES:
                plan.warnings.append(
                    f"the timed case {case.name} has {total / 2**30:.1f} GiB of arrays, more than 4 GiB, "
                    "and none of its sizes can be reduced: remove it or change its sizes"
                )
                continue
            cases[index] = PlannedCase(case.name, case.group, sizes)
            plan.warnings.append(
                f"the timed case {case.name} has {total / 2**30:.1f} GiB of arrays: "
                f"scaled to {_told(sizes)}, with contents like those of the tests"
            )
    return offered


def _told(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())


def scaled(
    plan: Plan, sizes: Mapping[str, int], wanted_bytes: int, *, beyond: bool = False
) -> dict[str, int]:
    """Return sizes with extents doubled or halved until the arrays have about `wanted_bytes` bytes.

    They keep the relations between the sizes of all tests. Only with `beyond` may they exceed all tests.
    """
    found = dict(sizes)
    if plan.fixed:
        return found
    down = bytes_of(plan, found) > wanted_bytes
    extents = {text for shape in plan.sizes.shapes.values() for text in shape}
    free = [
        n for n, v in sizes.items() if n in extents and (v >= _SCALABLE_FROM or not down) and n != VARIANT
    ]
    for _ in range(64 * len(free)):
        total = bytes_of(plan, found)
        if (total <= wanted_bytes) if down else (2 * total > wanted_bytes):
            break
        steps = (
            changed
            for changed in _steps(plan, found, free, down=down)
            if plan.relations.allow(changed, smaller=down, larger=beyond)
            and _is_further(plan, found, changed, down=down)
        )
        if (changed := next(steps, None)) is None:
            break
        found = changed
    return found


def _steps(
    plan: Plan, sizes: Mapping[str, int], free: Iterable[str], *, down: bool
) -> Iterator[dict[str, int]]:
    """Yield sizes with one of `free` doubled or halved, or with all that must divide each other."""
    left = [*free]
    while left:
        # The largest size is halved first, and the smallest is doubled last, since large sizes are usually
        # counts.
        name = max(left, key=lambda n: sizes[n]) if down else _grows(sizes, left)
        left.remove(name)
        together = [other for other in free if other in plan.relations.tied(name)]
        for names in ([name], [name, *together]):
            yield {**sizes} | {n: sizes[n] // 2 if down else sizes[n] * 2 for n in names}


def _is_further(plan: Plan, before: Mapping[str, int], after: Mapping[str, int], *, down: bool) -> bool:
    """Return whether the arrays are smaller, or else larger without any array getting smaller.

    An output gets smaller if a window grows.
    """
    try:
        if down:
            return bytes_of(plan, after) < bytes_of(plan, before)
        grown = [_elements(plan, n, after) - _elements(plan, n, before) for n, _ in _arrays(plan)]
    except FormulaError:
        return False
    return min(grown) >= 0 and max(grown) > 0


def _extents(plan: Plan) -> set[str]:
    """Return the sizes that occur in shapes."""
    return {
        name for shape in plan.sizes.shapes.values() for text in shape for name in Formula.parse(text).names
    }


def _grows(sizes: Mapping[str, int], free: Iterable[str]) -> str:
    """Return the smallest of the large sizes, so that arrays roughly keep their proportions."""
    names = list(free)
    most = max(sizes[name] for name in names)
    great = [name for name in names if sizes[name] * 4 >= most]
    return min(great, key=lambda name: sizes[name])


def _fill_groups(plan: Plan, cases: list[PlannedCase], without: Mapping[str, str]) -> None:
    groups = {case.group for case in cases}
    if Group.SAMPLE not in groups:
        least = min(cases, key=lambda case: bytes_of(plan, case.sizes))
        name = case_name("sample", (c.name for c in cases))
        sizes = least.sizes
        if bytes_of(plan, sizes) > MAX_BYTES:
            sizes = scaled(plan, sizes, 1 << 12)
        if sizes == least.sizes:
            cases.append(PlannedCase(name, Group.SAMPLE, sizes, least.test))
            plan.warnings.append("it has no example; the smallest test is the sample case")
        else:
            cases.append(PlannedCase(name, Group.SAMPLE, sizes))
            plan.warnings.append(
                f"it has no small example: the sample case has {_told(sizes)}, "
                "with contents like those of the tests"
            )
    for group, wanted in ((Group.ODD, 0), (Group.LARGE, _GOOD_LARGE_ELEMENTS * 4)):
        if group not in groups:
            _fill(plan, cases, group, wanted, without)
    if Group.TIMED not in groups:
        _fill(plan, cases, Group.TIMED, GOOD_TIMED_BYTES, without)


def _fill(
    plan: Plan, cases: list[PlannedCase], group: Group, wanted_bytes: int, without: Mapping[str, str]
) -> None:
    """Add a case with invented sizes, or a test of another group if sizes cannot change or be drawn."""
    name = case_name(f"{group} sizes", (c.name for c in cases))
    hidden = [case for case in cases if case.group in {Group.SMALL, Group.ODD, Group.LARGE}]
    base = max(hidden or cases, key=lambda case: bytes_of(plan, case.sizes))
    start = dict(base.sizes)
    too_large = group is not Group.TIMED and bytes_of(plan, start) > MAX_BYTES
    if too_large:
        start = scaled(plan, start, wanted_bytes or _GOOD_SMALL_BYTES)
    sizes = (
        _odd(plan, start, smaller=too_large)
        if group is Group.ODD
        else scaled(plan, start, wanted_bytes, beyond=group is Group.TIMED)
    )
    fits = group is Group.TIMED or bytes_of(plan, sizes) <= MAX_BYTES
    if sizes != base.sizes and name not in without and fits:
        plan.warnings.append(
            f"no test fits the group {group}: a case with {_told(sizes)} was added, "
            "with contents like those of the tests"
        )
        cases.append(PlannedCase(name, group, sizes))
        return
    small = [case for case in cases if bytes_of(plan, case.sizes) <= MAX_BYTES]
    if too_large and not small:
        raise Refused("all of its tests are too large to be checked, and none of their sizes can be smaller")
    # Timed cases were not drawn, so one of them may need too much memory or time.
    drawn = [case for case in small if case.group is not Group.TIMED]
    if too_large or (name in without and drawn):
        base = max(drawn or small, key=lambda case: bytes_of(plan, case.sizes))
    plan.warnings.append(f"no test fits the group {group}: a test of another group is used instead")
    cases.append(PlannedCase(name, group, base.sizes, base.test))


def _odd(plan: Plan, sizes: Mapping[str, int], *, smaller: bool) -> dict[str, int]:
    found = dict(sizes)
    if plan.fixed:
        return found
    extents = _extents(plan)
    # The order of sizes is kept, so a window stays smaller than the array that it moves over.
    for number, (name, value) in enumerate(sorted(sizes.items(), key=lambda size: size[1])):
        if name in extents and name != VARIANT and value >= _SCALABLE_FROM:
            alike = plan.relations.equal(name) | {name}
            tried = (found | dict.fromkeys(alike, other) for other in _odd_ones(_ODD + 4 * number))
            found = next((changed for changed in tried if _is_sound(plan, changed, smaller=smaller)), found)
    return found


def _odd_ones(first: int) -> Iterator[int]:
    """Yield sizes to try, from `first` up and then down. Odd sizes come first."""
    yield from range(first, first + _MOST_TRIED, 2)
    yield from range(first + 1, first + _MOST_TRIED, 2)
    yield from range(first - 1, 1, -1)


def _is_sound(plan: Plan, sizes: Mapping[str, int], *, smaller: bool) -> bool:
    try:
        bytes_of(plan, sizes)
    except FormulaError:
        return False
    return plan.relations.allow(sizes, smaller=smaller)


def _literals(plan: Plan, test: Test) -> dict[str, tuple[str, ...]]:
    """Return the inputs of an example, if all of them are small enough for a page."""
    found = {}
    for argument in plan.arrays:
        if argument.role is Role.OUT:
            continue
        value = test.values[argument.theirs]
        if argument.view or not isinstance(value, Array):
            return {}
        if value.flat is None or len(value.flat) > _MOST_SHOWN:
            return {}
        found[argument.ours] = tuple(literal(number, argument.dtype) for number in value.flat)
    return found


def literal(number: float, dtype: Dtype) -> str:
    """Return the shortest decimal that is rounded to this number in the dtype."""
    if isinstance(number, int) or (number == int(number) and abs(number) < 2**53):
        return str(int(number))
    code = {Dtype.FLOAT32: "<f", Dtype.FLOAT16: "<e", Dtype.BFLOAT16: "<f"}.get(dtype, "<d")
    for digits in range(1, 18):
        text = f"{number:.{digits}g}"
        try:
            if struct.pack(code, float(text)) == struct.pack(code, number):
                return text
        except OverflowError:
            continue
    return repr(number)
