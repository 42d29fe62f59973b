"""Parses `[python]` of problem.toml, see `problems.calling`."""

from collections.abc import Mapping

from problems.calling import (
    BYTE_FORMATS,
    Backward,
    ModuleArgument,
    Pattern,
    PatternError,
    PythonCallSpec,
    PythonEntry,
)
from problems.schema import Argument
from problems.table import TomlTable

_IDENTIFIER = "[a-z][a-z0-9_]{0,31}"
_CLASS = "[A-Z][A-Za-z0-9]{0,39}"
_NOTHING = Pattern.parse("()")


def parse_python(top: TomlTable, arguments: tuple[Argument, ...]) -> PythonCallSpec | None:
    """The table `[python]` of `top`, None where there is none. Faults are recorded by the table."""
    if not top.has("python"):
        return None
    table = top.table("python")
    entry = table.choice("entry", PythonEntry)
    in_order = Pattern.of_names(tuple(argument.name for argument in arguments if argument.name) or ("x",))
    given = _pattern(table, "given", in_order)
    returns = table.texts("returns") if table.has("returns") else ()
    is_model = entry is PythonEntry.MODEL_NEW
    if not is_model:
        for key in ("init", "state"):
            if table.has(key):
                table.fault(key, f'is for entry = "{PythonEntry.MODEL_NEW}"; remove it')
    call = PythonCallSpec(
        entry,
        given,
        returns,
        _pattern(table, "init", _NOTHING),
        _state(table),
        _modules(table),
        _views(table),
        _backward(table),
    )
    if entry is not PythonEntry.CUSTOM_KERNEL and not call.given.is_tuple:
        table.fault("given", 'must be a tuple, one part for each argument; write it like "(x, y)"')
    if not call.init.is_tuple:
        table.fault("init", 'must be a tuple, one part for each argument; write it like "(features,)"')
    table.close()
    return call


def _pattern(table: TomlTable, key: str, default: Pattern) -> Pattern:
    if not table.has(key):
        return default
    text = table.text(key, most=400, example='"(x, y)"')
    try:
        return Pattern.parse(text) if text else default
    except PatternError as error:
        table.fault(key, f'{error}; write it like "(x, y)"')
        return default


def _state(table: TomlTable) -> Mapping[str, str]:
    if not table.has("state"):
        return {}
    inner = table.table("state")
    return {key: inner.text(key, most=32, pattern=_IDENTIFIER, example="weight") for key in inner.keys}


def _views(table: TomlTable) -> Mapping[str, str]:
    if not table.has("views"):
        return {}
    inner = table.table("views")
    found = {key: inner.text(key, most=20, example=BYTE_FORMATS[0]) for key in inner.keys}
    for key, text in found.items():
        if text and text not in BYTE_FORMATS:
            inner.fault(key, f"must be one of {', '.join(BYTE_FORMATS)}")
    return found


def _backward(table: TomlTable) -> Backward | None:
    if not table.has("backward"):
        return None
    inner = table.table("backward")
    maps = {}
    for key in ("upstream", "gradients"):
        names = inner.table(key)
        maps[key] = {
            name: names.text(name, most=32, pattern=_IDENTIFIER, example="dx") for name in names.keys
        }
        if not maps[key]:
            inner.fault(key, 'names no array; write it like { y = "dy" }')
    inner.close()
    return Backward(maps["upstream"], maps["gradients"])


def _modules(table: TomlTable) -> Mapping[str, ModuleArgument]:
    if not table.has("modules"):
        return {}
    outer = table.table("modules")
    modules = {}
    for name in outer.keys:
        inner = outer.table(name)
        modules[name] = ModuleArgument(
            inner.text("kind", most=40, pattern=_CLASS, example="Linear"),
            _pattern(inner, "init", _NOTHING),
            _state(inner),
        )
        inner.close()
    return modules
