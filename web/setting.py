"""One setting, and how all of them are read from the environment, with every fault named at once."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any

from web import parsing

PREFIX = "WARPCOURT_"
# Settings that say nothing alone: all of a group are set, or none.
_TOGETHER = (
    ("github_client_id", "github_client_secret"),
    ("oidc_issuer", "oidc_client_id", "oidc_client_secret"),
)
_TYPES = {
    "str": "text",
    "int": "number",
    "int | None": "number or auto",
    "bool": "yes or no",
    "Path": "path",
    "tuple": "list",
}


class ConfigError(Exception):
    """Raised when a variable cannot be used. The message names it and says what it takes."""


def _suggest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _incomplete(values: Mapping[str, Any]) -> Iterable[str]:
    """What is missing where a part of a group is set. What could not be parsed is named elsewhere."""
    for group in _TOGETHER:
        there = [PREFIX + name.upper() for name in group if values.get(name, True)]
        missing = [PREFIX + name.upper() for name in group if not values.get(name, True)]
        if there and missing:
            yield f"{', '.join(missing)}: needed beside {' and '.join(there)}; set all of them or none"


def about(
    default: str, doc: str, parse: Callable[[str], object] = parsing.text, *, secret: bool = False
) -> Mapping[str, Any]:
    """What a field of the settings says of itself, for its metadata."""
    return {"default": default, "doc": doc, "parse": parse, "secret": secret}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as a variable of the environment."""

    field: str
    variable: str
    type_name: str
    default: str
    doc: str
    secret: bool
    parse: Callable[[str], Any]

    @classmethod
    def of(cls, entry: "Field[Any]") -> "Setting":
        """The variable of a field that `about` describes."""
        name = getattr(entry.type, "__name__", str(entry.type))
        return cls(
            field=entry.name,
            variable=PREFIX + entry.name.upper(),
            type_name=_TYPES[name],
            default=entry.metadata["default"],
            doc=entry.metadata["doc"],
            secret=entry.metadata["secret"],
            parse=entry.metadata["parse"],
        )

    def read(self, environ: Mapping[str, str]) -> str:
        """Its text: the variable, else the file that `*_FILE` names, else the default.

        Raises:
            ValueError: both are set.
            OSError: the file cannot be read.
        """
        pointer = f"{self.variable}_FILE"
        if self.secret and pointer in environ:
            if self.variable in environ:
                raise ValueError(f"is set, and so is {pointer}; unset one of them")
            return Path(environ[pointer]).read_text().strip()
        return environ.get(self.variable, self.default)


def settings_of(config: type) -> tuple[Setting, ...]:
    """The settings that the fields of `config` stand for, in their order."""
    return tuple(Setting.of(entry) for entry in fields(config))


def read_settings(settings: Iterable[Setting], environ: Mapping[str, str]) -> dict[str, Any]:
    """The values of `settings` by field.

    Raises:
        ConfigError: a variable is unknown or cannot be used; all such are named at once.
    """
    settings = tuple(settings)
    known = {s.variable for s in settings} | {f"{s.variable}_FILE" for s in settings if s.secret}
    problems = [
        f"{name} is not a setting of Warpcourt{_suggest(name, known)}; see docs/operations/install.md"
        for name in sorted(environ)
        if name.startswith(PREFIX) and name not in known
    ]
    values: dict[str, Any] = {}
    for setting in settings:
        try:
            values[setting.field] = setting.parse(setting.read(environ))
        except (ValueError, OSError) as error:
            problems.append(f"{setting.variable}: {error}")
    problems += _incomplete(values)
    if problems:
        raise ConfigError("; ".join(problems))
    return values
