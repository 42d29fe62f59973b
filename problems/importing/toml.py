"""Writes problem.toml with tomlkit. Each text of the set becomes one line."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.items import InlineTable

from problems.calling import PythonCallSpec, PythonEntry, spelled
from problems.importing.cases import Cases, PlannedCase
from problems.importing.described import Module
from problems.importing.planning import Plan, PlannedArgument
from problems.vocabulary import Difficulty, Language, Role

_MOST_FORMULA = 200


@dataclass(frozen=True, slots=True)
class About:
    """Metadata from the list of problems."""

    title: str
    summary: str
    difficulty: Difficulty
    tags: Sequence[str]
    languages: Sequence[Language]


def problem_toml(
    plan: Plan,
    cases: Cases,
    about: About,
    *,
    solutions: Sequence[tuple[str, str, str]],
    operations: str,
) -> str:
    """Return the text of problem.toml. `solutions` are tuples of file, verdict and note."""
    document: dict[str, Any] = {
        "title": _line(about.title[:80]),
        "summary": _line(about.summary[:200]),
        "difficulty": about.difficulty.value,
        "tags": list(about.tags),
        "languages": [language.value for language in about.languages],
        "oracle": "torch",
        # No author has confirmed these counts, so an honest program that needs less must not be rejected.
        "formulas": {
            "bytes": bytes_formula(plan),
            "operations": operations,
            "beatable": ["bytes", "operations"],
        },
        "arguments": [_argument(plan, argument) for argument in plan.arguments],
        **_python(plan),
        "cases": [_case(case) for case in cases.cases],
        "solutions": [
            {"file": file, "verdict": verdict, "note": _line(note)} for file, verdict, note in solutions
        ],
    }
    return tomlkit.dumps(document)


def _line(value: str) -> str:
    return "".join(c if c.isprintable() else " " for c in value)


def _inline(values: Mapping[str, Any]) -> InlineTable:
    table = tomlkit.inline_table()
    table.update(values)
    return table


def bytes_formula(plan: Plan) -> str:
    """Return a formula: every input is read once, every output written once.

    If it is too long, only inputs count.
    """
    factors: dict[tuple[str, ...], int] = {}
    for argument in plan.arrays:
        factor = argument.dtype.itemsize * (2 if argument.role is Role.INOUT else 1)
        shape = plan.sizes.shapes[argument.ours]
        factors[shape] = factors.get(shape, 0) + factor
    terms = [
        " * ".join([str(factor), *(f"({t})" if any(c in t for c in "+-%/") else t for t in shape)])
        for shape, factor in factors.items()
    ]
    whole = " + ".join(terms)
    while len(whole) > _MOST_FORMULA and len(terms) > 1:
        terms.pop()
        whole = " + ".join(terms)
    return whole


def _argument(plan: Plan, argument: PlannedArgument) -> dict[str, Any]:
    said: dict[str, Any] = {
        "name": argument.ours,
        "role": argument.role.value,
        "dtype": argument.dtype.value,
    }
    if argument.role is Role.SCALAR:
        return said | {"value": plan.sizes.values[argument.ours]}
    said |= {"shape": list(plan.sizes.shapes[argument.ours])}
    if argument.zeroed:
        said |= {"zeroed": True}
    if argument.written and argument.dtype.is_float:
        tolerance = {"relative": min(plan.relative, 1.0), "absolute": min(plan.absolute, 1e6)}
        said |= {"tolerance": _inline(tolerance | ({"nan": True} if plan.nan else {}))}
    return said


def _python(plan: Plan) -> dict[str, Any]:
    """Return the `[python]` tables for a program that takes modules."""
    modules = plan.described.modules
    ours = {argument.theirs: argument.ours for argument in plan.arguments}
    if (call := plan.described.call) is not None:
        views = {argument.ours: argument.view for argument in plan.arguments if argument.view}
        return {"python": _call(call, ours, views)}
    if not modules:
        return {}
    parts = {part for module in modules for part in (*module.init, *module.state.values())}
    given = list(
        dict.fromkeys(_given(a.theirs, modules) for a in plan.arguments if a.theirs in parts or a.ours)
    )
    names = [module_name(name) if name in {m.name for m in modules} else ours[name] for name in given]
    described = {
        module_name(module.name): {
            "kind": module.kind,
            "init": _tuple([ours[part] for part in module.init]),
            "state": _inline({parameter: ours[part] for parameter, part in module.state.items()}),
        }
        for module in modules
    }
    return {"python": {"entry": "solve", "given": _tuple(names), "modules": described}}


def _call(call: PythonCallSpec, ours: Mapping[str, str], views: Mapping[str, str]) -> dict[str, Any]:
    """Return the `[python]` table for a program with the arguments and results of its set."""
    said: dict[str, Any] = {"entry": call.entry.value}
    if call.entry is PythonEntry.MODEL_NEW:
        said["init"] = spelled(call.init.form, ours.__getitem__)
    said["given"] = spelled(call.given.form, ours.__getitem__)
    said["returns"] = [ours[name] for name in call.returns]
    if views:
        said["views"] = _inline(views)
    if call.state:
        # A separate table, because a deep model has hundreds of parameters, too many for a line.
        said["state"] = {key: ours[name] for key, name in call.state.items()}
    return said


def module_name(name: str) -> str:
    """Return a module's name in problem.toml."""
    return "".join(c if c.isalnum() else "_" for c in name.lower()) + "_module"


def _given(theirs: str, modules: Iterable[Module]) -> str:
    for module in modules:
        if theirs in module.init or theirs in module.state.values():
            return module.name
    return theirs


def _tuple(names: Sequence[str]) -> str:
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})"


def _case(case: PlannedCase) -> dict[str, Any]:
    said = {"name": case.name, "group": case.group.value, "sizes": _inline(case.sizes)}
    if case.inputs:
        inputs = {name: [tomlkit.value(number) for number in values] for name, values in case.inputs.items()}
        said["inputs"] = _inline(inputs)
    return said
