"""The variables of a quiz: numbers and texts that are drawn, and numbers computed from them."""

import hashlib
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from problems.arithmetic import LARGEST, Arithmetic
from problems.formula import FormulaError
from problems.table import TomlTable, kind_of

MAX_VARIABLES = 60
MAX_CHOICES = 64
MAX_STEPS = 10_000
_TRIES = 500
_NAME = "[a-z][a-z0-9_]{0,31}"
_MAX_TEXT = 60
Value = float | str


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable. It is drawn from `choices`, or computed by `formula` from the variables before it.

    `together` names an earlier variable with as many choices: both get the choice at the same place.
    """

    name: str
    choices: tuple[Value, ...] = ()
    together: str = ""
    formula: Arithmetic | None = None

    @property
    def numeric(self) -> bool:
        """Whether formulas may use it."""
        return self.formula is not None or not isinstance(self.choices[0], str)


@dataclass(frozen=True, slots=True)
class Group:
    """Variables that depend on each other through formulas and conditions, in the order of the file.

    Groups are drawn independently. So a condition that few draws meet repeats only the draws of its group.
    """

    variables: tuple[Variable, ...]
    conditions: tuple[Arithmetic, ...]


def group_variables(variables: tuple[Variable, ...], conditions: tuple[Arithmetic, ...]) -> tuple[Group, ...]:
    """Return the variables in as many groups as possible, with the conditions about each."""
    group_of = {variable.name: index for index, variable in enumerate(variables)}

    def join(names: Collection[str]) -> None:
        joined = {group_of[name] for name in names}
        for name, group in group_of.items():
            if group in joined:
                group_of[name] = min(joined)

    for variable in variables:
        others = variable.formula.names if variable.formula else {variable.together} - {""}
        join({variable.name, *others})
    for condition in conditions:
        join(condition.names)
    return tuple(
        Group(
            tuple(variable for variable in variables if group_of[variable.name] == group),
            tuple(c for c in conditions if any(group_of[name] == group for name in c.names)),
        )
        for group in sorted(set(group_of.values()))
    )


def draw_group(group: Group, seed: str) -> dict[str, Value] | None:
    """The values of the first draw for `seed` that meets the conditions; None if no draw of many does."""
    for attempt in range(_TRIES):
        try:
            values = _draw(group.variables, f"{seed}/{attempt}")
            numbers = numbers_of(values)
            if all(condition.value(numbers) for condition in group.conditions):
                return values
        except FormulaError:
            continue
    return None


def numbers_of(values: Mapping[str, Value]) -> dict[str, float]:
    """The values that are numbers."""
    return {name: value for name, value in values.items() if not isinstance(value, str)}


def _draw(variables: tuple[Variable, ...], seed: str) -> dict[str, Value]:
    """Draw every variable. Another variable in between changes nothing for the others."""
    values: dict[str, Value] = {}
    places: dict[str, int] = {}
    for variable in variables:
        if variable.formula:
            values[variable.name] = variable.formula.value(numbers_of(values))
            continue
        if variable.together:
            place = places[variable.together]
        else:
            place = draw_number(f"{seed}/{variable.name}") % len(variable.choices)
        places[variable.name] = place
        values[variable.name] = variable.choices[place]
    return values


def draw_number(label: str) -> int:
    """A number of 64 bits that depends on `label` alone, on every machine and in every version of Python."""
    return int.from_bytes(hashlib.sha256(label.encode()).digest()[:8])


def parse_variables(top: TomlTable, reserved: Collection[str]) -> tuple[Variable, ...]:
    """Read `[[variables]]`, which may be absent. No name may be `reserved`."""
    tables = top.tables("variables") if top.has("variables") else ()
    if len(tables) > MAX_VARIABLES:
        top.fault("variables", f"has {len(tables)} variables; at most {MAX_VARIABLES} are allowed")
        tables = tables[:MAX_VARIABLES]
    found: dict[str, Variable] = {}
    for table in tables:
        name = table.text("name", most=32, pattern=_NAME, example="sms")
        if name in found:
            table.fault("name", f"{name!r} is declared twice; keep one")
        if name in reserved:
            table.fault("name", f"{name!r} is a reserved word; choose another name")
        found[name] = _variable(table, name, found)
        table.close()
    return tuple(found.values())


def _variable(table: TomlTable, name: str, earlier: dict[str, Variable]) -> Variable:
    ways = [key for key in ("choices", "from", "formula") if table.has(key)]
    if len(ways) != 1:
        table.fault("", 'write exactly one of choices = [ … ], from with to and step, or formula = "…"')
        for key in ("to", "step", "with"):
            table.has(key)
        return Variable(name, (1.0,))
    if ways == ["formula"]:
        return Variable(name, formula=_formula(table, earlier))
    if ways == ["from"]:
        return Variable(name, _range(table))
    choices = _choices(table)
    return Variable(name, choices, _together(table, len(choices), earlier))


def _formula(table: TomlTable, earlier: dict[str, Variable]) -> Arithmetic:
    text = table.text("formula", most=300, example='"2 * sms"')
    try:
        formula = Arithmetic.parse(text)
    except FormulaError as error:
        table.fault("formula", str(error))
        return Arithmetic.parse("1")
    numbers = {name for name, variable in earlier.items() if variable.numeric}
    if unknown := sorted(formula.names - numbers):
        table.fault("formula", f"{unknown[0][:40]!r} is not a variable with numbers above this one")
        return Arithmetic.parse("1")
    return formula


def _range(table: TomlTable) -> tuple[float, ...]:
    least, most, step = (_number(table, key) for key in ("from", "to", "step"))
    if not (step > 0 and least < most):
        table.fault("", "needs a step above 0, and a to above from")
        return (1.0,)
    steps = math.floor((most - least) / step + 1e-9)
    if not 1 <= steps <= MAX_STEPS:
        table.fault("step", f"gives {steps + 1:g} values; 2 to {MAX_STEPS} are allowed")
        return (1.0,)
    return tuple(round(least + index * step, 9) for index in range(steps + 1))


def _number(table: TomlTable, key: str) -> float:
    value = table.raw(key) if table.has(key) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        table.fault(key, f"must be a number up to {LARGEST:g}")
        return 0.0
    return float(value)


def _choices(table: TomlTable) -> tuple[Value, ...]:
    values = table.raw("choices")
    if not isinstance(values, list) or not 2 <= len(values) <= MAX_CHOICES:
        table.fault("choices", f"must be an array of 2 to {MAX_CHOICES} numbers or texts")
        return (1.0,)
    texts = isinstance(values[0], str)
    for index, value in enumerate(values):
        key = f"choices[{index}]"
        if isinstance(value, str) is not texts or isinstance(value, bool | dict | list):
            table.fault(
                key, f"must be {'text' if texts else 'a number'} like the first one, not {kind_of(value)}"
            )
        elif isinstance(value, str) and not 1 <= len(value) <= _MAX_TEXT:
            table.fault(key, f"must have 1 to {_MAX_TEXT} characters")
        elif not texts and not (isinstance(value, int | float) and abs(value) <= LARGEST):
            table.fault(key, f"must be a number up to {LARGEST:g}")
        else:
            continue
        return (1.0,)
    return tuple(value if texts else float(value) for value in values)


def _together(table: TomlTable, count: int, earlier: dict[str, Variable]) -> str:
    if not table.has("with"):
        return ""
    other = table.text("with", most=32, example="sms")
    if other not in earlier or not earlier[other].choices:
        table.fault("with", f"{other[:40]!r} is not a variable with choices above this one")
    elif len(earlier[other].choices) != count:
        table.fault("with", f"{other!r} has {len(earlier[other].choices)} choices, this one has {count}")
    else:
        return other
    return ""
