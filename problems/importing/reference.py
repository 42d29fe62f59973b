"""Writes reference.py: the author's files, our adapter for their format, and the constants that tie them."""

from collections.abc import Iterable, Mapping

from problems.importing.cases import Cases
from problems.importing.described import Array, Test
from problems.importing.planning import VARIANT, Plan, PlannedArgument, inner_shape
from problems.importing.sandboxed import adapter, quoted_files
from problems.vocabulary import Dtype, Role

_EXACT_BELOW = 2**53  # whole numbers that float64 tells apart
_NORMAL_BELOW = 0.22  # deviation over range: 0.29 for uniform numbers, less for normal ones


def examined_text(format_name: str, files: Mapping[str, str], constants: Mapping[str, str]) -> str:
    """Return the text that the sandbox examines."""
    return adapter(
        format_name,
        {
            "FILES": quoted_files(files),
            **constants,
            "WIDE": "False",
            "FIXED": "False",
            "TESTS": "{}",
            "CALL": "None",
        },
    )


def reference_text(
    format_name: str,
    files: Mapping[str, str],
    constants: Mapping[str, str],
    plan: Plan,
    cases: Cases,
) -> str:
    """The package's reference.py."""
    return _described(format_name) + adapter(format_name, _constants(files, constants, plan, cases))


def checker_text(
    format_name: str,
    files: Mapping[str, str],
    constants: Mapping[str, str],
    plan: Plan,
    cases: Cases,
) -> str:
    """Return the package's checker.py, for a format whose problems have their own check."""
    known = _constants(files, constants, plan, cases)
    names = ", ".join([*plan.sizes.columns, "**_"])
    scalars = {a.ours: plan.sizes.values[a.ours] for a in plan.arguments if a.role is Role.SCALAR}
    known["SCALARS"] = _table({repr(name): f"lambda {names}: {text}" for name, text in scalars.items()})
    return _described(format_name) + adapter(format_name, known, f"{format_name}_check")


def _described(format_name: str) -> str:
    return f'"""Imported from a set of the format {format_name}. Its author\'s files are in FILES."""\n\n'


def _constants(
    files: Mapping[str, str], constants: Mapping[str, str], plan: Plan, cases: Cases
) -> dict[str, str]:
    sizes = plan.sizes
    tests = {
        tuple(case.sizes.values()): (case.test.part, case.test.number)
        for case in cases.cases
        if case.test is not None
    }
    arguments = [(a.theirs, a.ours, a.role.value, a.dtype.value) for a in plan.arguments]
    origins = {name: (o.argument, o.axis, o.offset, o.scale) for name, o in sizes.origins.items()}
    return {
        **constants,
        "FILES": quoted_files(files),
        "WIDE": repr(plan.wide),
        "FIXED": repr(plan.fixed),
        "ARGUMENTS": _lines(repr(argument) for argument in arguments),
        "SIZES": repr(tuple(sizes.columns)),
        "TESTS": _table({repr(key): repr(test) for key, test in tests.items()}),
        "SHAPES": _shapes(plan, {Role.IN, Role.INOUT}),
        "OUTPUTS": _shapes(plan, {Role.OUT, Role.INOUT}),
        "LAWS": _table({repr(a.ours): repr(_law(plan, a)) for a in plan.arrays if a.role is not Role.OUT}),
        "FROM_ARGUMENTS": repr(_readable(plan, origins)),
        "TRUE_SHAPES": _true_shapes(plan),
        "POINTS": repr([a.ours for a in plan.arrays if a.point]),
        **({"LAYOUT": repr(plan.described.call.described())} if plan.described.call else {}),
        "CALL": repr(_call(plan)),
    }


def _call(plan: Plan) -> tuple[list[str], list[str], list[str]]:
    """The author's names before the outputs, of the outputs, and after them."""
    written = [index for index, argument in enumerate(plan.arguments) if argument.written]
    names = [argument.theirs for argument in plan.arguments]
    return names[: written[0]], names[written[0] : written[-1] + 1], names[written[-1] + 1 :]


def _lines(items: Iterable[str]) -> str:
    inner = "".join(f"\n    {item}," for item in items)
    return f"({inner}\n)"


def _table(entries: Mapping[str, str]) -> str:
    inner = "".join(f"\n    {key}: {value}," for key, value in entries.items())
    return f"{{{inner}\n}}" if entries else "{}"


def _shapes(plan: Plan, roles: set[Role]) -> str:
    names = ", ".join([*plan.sizes.columns, "**_"])
    return _table(
        {
            repr(a.ours): f"lambda {names}: ({', '.join(plan.sizes.shapes[a.ours])},)"
            for a in plan.arrays
            if a.role in roles
        }
    )


def _readable(plan: Plan, origins: Mapping[str, tuple[str, int | None, int, int]]) -> dict[str, object]:
    """The origins that reference.py sees: not those of arrays that it is not given."""
    unseen = {a.ours for a in plan.arrays if a.role is Role.OUT}
    return {name: origin for name, origin in origins.items() if origin[0] not in unseen}


def _true_shapes(plan: Plan) -> str:
    flat = [a for a in plan.arrays if a.flat]
    if not flat:
        return "{}"
    entries = {}
    for index, test in enumerate(plan.tests):
        key = tuple(value for name, value in plan.sizes.of_test(index).items() if name != VARIANT)
        entries[repr(key)] = repr({a.ours: inner_shape(a, test) for a in flat})
    return _table(entries)


def _law(plan: Plan, argument: PlannedArgument) -> tuple[str, float, float]:
    """Return the distribution of an array's contents for sizes without a test in the set."""
    seen = [(test, value) for test in plan.tests if (value := _seen(test, argument)) is not None]
    if not seen:
        return ("integers", 0, 1) if not argument.dtype.is_float else ("uniform", -1.0, 1.0)
    _, most = max(seen, key=lambda pair: (pair[1].deviation > 0, pair[1].elements))
    low, high = most.low or 0.0, most.high or 0.0
    if low == high:
        return ("constant", low if argument.dtype.is_float else int(low), 0)
    if not argument.dtype.is_float or argument.dtype is Dtype.BOOL:
        return ("integers", int(low), int(high))
    if all(value.whole for _, value in seen) and max(-low, high) < _EXACT_BELOW:
        return ("whole", int(low), int(high))
    if most.deviation < _NORMAL_BELOW * (high - low):
        return ("normal", most.mean, most.deviation)
    return ("uniform", low, high)


def _seen(test: Test, argument: PlannedArgument) -> Array | None:
    value = test.values.get(argument.theirs)
    return value if isinstance(value, Array) and value.low is not None else None
