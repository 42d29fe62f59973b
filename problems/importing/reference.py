"""Writes reference.py: the author's files, the adapter for their format, and constants for the adapter."""

from collections.abc import Iterable, Mapping

from problems.importing.cases import Cases
from problems.importing.contents import law_of
from problems.importing.planning import VARIANT, Plan, inner_shape
from problems.importing.sandboxed import adapter, quoted_files
from problems.vocabulary import Dtype, Role


def examined_text(format_name: str, files: Mapping[str, str], constants: Mapping[str, str]) -> str:
    """Return the text that the sandbox examines."""
    return adapter(
        format_name,
        {
            "FILES": quoted_files(files),
            **constants,
            "WIDE": "False",
            "FIXED": "False",
            "STRICT": "False",
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
    """Return the package's reference.py."""
    return _described(format_name) + adapter(format_name, _constants(files, constants, plan, cases))


def strict(text: str) -> str:
    """Return the reference `text`, extended to refuse invented sizes if the set's own precision is too low.

    The author's assertions then also apply to such sizes. Only the importer needs this.
    """
    head, _, rest = text.rpartition("\nSTRICT = False\n")
    return f"{head}\nSTRICT = True\n{rest}" if head else text


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
    arguments = [(a.theirs, a.ours, a.role.value, a.view or a.dtype.value) for a in plan.arguments]
    origins = {name: (o.argument, o.axis, o.offset, o.scale) for name, o in sizes.origins.items()}
    return {
        **constants,
        "FILES": quoted_files(files),
        "WIDE": repr(plan.wide),
        "FIXED": repr(plan.fixed),
        "STRICT": "False",
        "TOLERANCE_OF_TESTS": repr((plan.relative, plan.absolute)),
        "ARGUMENTS": _lines(repr(argument) for argument in arguments),
        "SIZES": repr(tuple(sizes.columns)),
        "TESTS": _table({repr(key): repr(test) for key, test in tests.items()}),
        "SHAPES": _shapes(plan, {Role.IN, Role.INOUT}),
        "OUTPUTS": _shapes(plan, {Role.OUT, Role.INOUT}),
        "LAWS": _laws(plan),
        "FROM_ARGUMENTS": repr(_readable(plan, origins)),
        "TRUE_SHAPES": _true_shapes(plan),
        "POINTS": repr([a.ours for a in plan.arrays if a.point]),
        **({"LAYOUT": repr(plan.described.call.described())} if plan.described.call else {}),
        "CALL": repr(_call(plan)),
    }


def _call(plan: Plan) -> tuple[list[str], list[str], list[str]]:
    """Return the author's names before the outputs, of the outputs, and after them."""
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


def _laws(plan: Plan) -> str:
    given = [argument for argument in plan.arrays if argument.role is not Role.OUT]
    seen = {a.ours: Dtype.FLOAT16 if a.view.startswith("float8") else a.dtype for a in given}
    return _table({repr(a.ours): repr(law_of(a.theirs, seen[a.ours], plan.tests)) for a in given})


def _readable(plan: Plan, origins: Mapping[str, tuple[str, int | None, int, int]]) -> dict[str, object]:
    """Return the origins that reference.py can use, without those of arrays that it does not get."""
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
