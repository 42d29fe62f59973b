"""Writes problem.toml. What goes in is ours; texts of the set are quoted."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from problems.calling import PythonCall, PythonEntry, spelled
from problems.importing.cases import Cases, PlannedCase
from problems.importing.described import Module
from problems.importing.planning import Plan, PlannedArgument
from problems.vocabulary import Difficulty, Language, Role

_MOST_FORMULA = 200


@dataclass(frozen=True, slots=True)
class About:
    """What the list of problems says."""

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
    """The text of problem.toml. `solutions` are file, verdict and note."""
    head = {
        "title": text(about.title[:80]),
        "summary": text(about.summary[:200]),
        "difficulty": text(about.difficulty.value),
        "tags": texts(about.tags),
        "languages": texts(language.value for language in about.languages),
        "oracle": text("torch"),
    }
    parts = [
        "\n".join(f"{key} = {value}" for key, value in head.items()),
        _formulas(bytes_formula(plan), operations),
        *(_argument(plan, argument) for argument in plan.arguments),
        *_python(plan),
        *(_case(case) for case in cases.cases),
        *(
            f"[[solutions]]\nfile = {text(file)}\nverdict = {text(verdict)}\nnote = {text(note)}"
            for file, verdict, note in solutions
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _formulas(bytes_moved: str, operations: str) -> str:
    """No author has confirmed these counts, so an honest program that needs less must not be refused."""
    lines = [f"bytes = {text(bytes_moved)}", f"operations = {text(operations)}"]
    return "\n".join(["[formulas]", *lines, f"beatable = {texts(['bytes', 'operations'])}"])


def text(value: str) -> str:
    """A TOML string on one line."""
    plain = "".join(c if c.isprintable() else " " for c in value)
    return json.dumps(plain, ensure_ascii=False)


def texts(values: Iterable[str]) -> str:
    """A TOML array of strings."""
    return f"[{', '.join(text(value) for value in values)}]"


def table(values: Mapping[str, str]) -> str:
    """An inline table of what is TOML already."""
    return "{ " + ", ".join(f"{key} = {value}" for key, value in values.items()) + " }"


def bytes_formula(plan: Plan) -> str:
    """Every input read once, every output written once; inputs alone where that is too long for a formula."""
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


def _argument(plan: Plan, argument: PlannedArgument) -> str:
    lines = [
        "[[arguments]]",
        f"name = {text(argument.ours)}",
        f"role = {text(argument.role.value)}",
        f"dtype = {text(argument.dtype.value)}",
    ]
    if argument.role is Role.SCALAR:
        return "\n".join([*lines, f"value = {text(plan.sizes.values[argument.ours])}"])
    lines.append(f"shape = {texts(plan.sizes.shapes[argument.ours])}")
    if argument.written and argument.dtype.is_float:
        tolerance = {
            "relative": repr(min(plan.relative, 1.0)),
            "absolute": repr(min(plan.absolute, 1e6)),
            **({"nan": "true"} if plan.nan else {}),
        }
        lines.append(f"tolerance = {table(tolerance)}")
    return "\n".join(lines)


def _python(plan: Plan) -> list[str]:
    """How a program in Python is given modules."""
    modules = plan.described.modules
    ours = {argument.theirs: argument.ours for argument in plan.arguments}
    if (call := plan.described.call) is not None:
        return [_call(call, ours)]
    if not modules:
        return []
    parts = {part for module in modules for part in (*module.init, *module.state.values())}
    given = list(
        dict.fromkeys(_given(a.theirs, modules) for a in plan.arguments if a.theirs in parts or a.ours)
    )
    names = [module_name(name) if name in {m.name for m in modules} else ours[name] for name in given]
    lines = [f'[python]\nentry = "solve"\ngiven = {text(_tuple(names))}']
    for module in modules:
        state = {text(parameter): text(ours[part]) for parameter, part in module.state.items()}
        lines.append(
            f"[python.modules.{module_name(module.name)}]\nkind = {text(module.kind)}\n"
            f"init = {text(_tuple([ours[part] for part in module.init]))}\nstate = {table(state)}"
        )
    return lines


def _call(call: PythonCall, ours: Mapping[str, str]) -> str:
    """How a program is called that is given and returns what its set says."""
    lines = ["[python]", f"entry = {text(call.entry.value)}"]
    if call.entry is PythonEntry.MODEL_NEW:
        lines.append(f"init = {text(spelled(call.init.form, ours.__getitem__))}")
    lines.append(f"given = {text(spelled(call.given.form, ours.__getitem__))}")
    lines.append(f"returns = {texts(ours[name] for name in call.returns)}")
    if call.state:
        lines.append(f"state = {table({text(key): text(ours[name]) for key, name in call.state.items()})}")
    return "\n".join(lines)


def module_name(name: str) -> str:
    """What a module is called in problem.toml."""
    return "".join(c if c.isalnum() else "_" for c in name.lower()) + "_module"


def _given(theirs: str, modules: Iterable[Module]) -> str:
    for module in modules:
        if theirs in module.init or theirs in module.state.values():
            return module.name
    return theirs


def _tuple(names: Sequence[str]) -> str:
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})"


def _case(case: PlannedCase) -> str:
    sizes = table({name: str(value) for name, value in case.sizes.items()})
    lines = [
        "[[cases]]",
        f"name = {text(case.name)}",
        f"group = {text(case.group.value)}",
        f"sizes = {sizes}",
    ]
    if case.inputs:
        inputs = {name: f"[{', '.join(values)}]" for name, values in case.inputs.items()}
        lines.append(f"inputs = {table(inputs)}")
    return "\n".join(lines)
