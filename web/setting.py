"""The types of settings, and their parser, which reports all invalid variables at once.

Pydantic parses the values. The messages are Warpcourt's: they name the variable, say what it takes, and never
show the value, which may be a secret.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic.fields import FieldInfo

C = TypeVar("C")
ROOT = Path(__file__).resolve().parent.parent
PREFIX = "WARPCOURT_"
_OF_THE_CLIENT = {"WARPCOURT_URL", "WARPCOURT_TOKEN"}  # read by `web.cli`; a shell may export them for it
# Settings that must be set together: all of a group, or none.
_TOGETHER = (
    ("GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"),
    ("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"),
)


class ConfigError(Exception):
    """Raised when a variable cannot be used. The message names it and says what it takes."""


@dataclass(frozen=True, slots=True)
class Takes:
    """The values that a type of settings takes: a word for the documentation, and exact text for messages."""

    word: str
    rule: str


class _Secret:
    """Marks a setting that can be given as a file."""


def _split(value: object) -> object:
    return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value


def _is_name(value: str) -> str:
    if any(sign.isspace() or sign == "/" for sign in value):
        raise ValueError
    return value


_whole = AfterValidator(lambda url: url.rstrip("/"))
Text = Annotated[str, Takes("text", "text")]
Secret = Annotated[Text, _Secret()]
YesOrNo = Annotated[bool, Takes("yes or no", "yes or no")]
Positive = Annotated[int, Field(gt=0), Takes("number", "a whole number above 0")]
Count = Annotated[int, Field(ge=0), Takes("number", "a whole number, 0 or more")]
CountOrAuto = Annotated[
    Annotated[int, Field(ge=0)] | None,
    BeforeValidator(lambda value: None if value == "auto" else value),
    Takes("number or auto", "a whole number, 0 or more, or auto"),
]
Port = Annotated[int, Field(gt=0, lt=65536), Takes("number", "a port number, 1 to 65535")]
PortOrNone = Annotated[int, Field(ge=0, lt=65536), Takes("number", "a port number, 1 to 65535, or 0")]
Directory = Annotated[
    Path, AfterValidator(lambda path: (ROOT / path.expanduser()).resolve()), Takes("path", "a path")
]
Names = Annotated[tuple[str, ...], BeforeValidator(_split), Takes("list", "names separated by commas")]
Name = Annotated[
    str,
    Field(max_length=80),
    AfterValidator(_is_name),
    Takes("text", "up to 80 characters without spaces or slashes"),
]
Address = Annotated[
    str,
    AfterValidator(lambda value: str(ip_address(value))),
    Takes("text", "an IP address, such as 127.0.0.1, or 0.0.0.0 for all"),
]
Images = Annotated[
    str,
    Field(pattern="^(host|.+:[^/:]+)$"),
    Takes("text", "host, or PREFIX:TAG such as warpcourt:latest"),
]
WebUrl = Annotated[
    str,
    Field(pattern="^(https?://.*)?$"),
    _whole,
    Takes("text", "a URL that starts with http:// or https://"),
]
DatabaseUrl = Annotated[
    Secret,
    Field(pattern="^((postgres|postgresql|sqlite)://.*)?$"),
    _whole,
    Takes("text", "a URL that starts with postgres:// or postgresql:// or sqlite://"),
]
BoardKey = Annotated[
    Secret,
    Field(pattern="^([0-9a-f]{64})?$"),
    Takes("text", "64 hexadecimal digits, as node join writes them"),
]
RedisUrl = Annotated[
    Secret,
    Field(pattern="^(rediss?://.*)?$"),
    _whole,
    Takes("text", "a URL that starts with redis:// or rediss://"),
]
MailUrl = Annotated[
    Secret,
    Field(pattern="^(smtps?://.*)?$"),
    _whole,
    Takes("text", "a URL that starts with smtp:// or smtps://"),
]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as an environment variable."""

    field: str
    variable: str
    takes: Takes
    default: str
    doc: str
    secret: bool

    @classmethod
    def of(cls, name: str, info: FieldInfo) -> "Setting":
        """Return the variable of a field."""
        described = [entry for entry in info.metadata if isinstance(entry, Takes)]
        return cls(
            field=name,
            variable=PREFIX + name.upper(),
            takes=described[-1]
            if described
            else Takes("text", f"one of {', '.join(get_args(info.annotation))}"),
            default=_shown(info.default),
            doc=" ".join((info.description or "").split()),
            secret=any(isinstance(entry, _Secret) for entry in info.metadata),
        )

    def read(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the texts by field: the variable, else the file in `*_FILE`; empty if neither is set.

        Raises:
            ValueError: both are set.
            OSError: the file cannot be read.
        """
        pointer = f"{self.variable}_FILE"
        if self.secret and pointer in environ:
            if self.variable in environ:
                raise ValueError(f"set together with {pointer}; unset one of them")
            return {self.field: Path(environ[pointer]).read_text().strip()}
        return {self.field: environ[self.variable]} if self.variable in environ else {}


def _shown(default: Any) -> str:
    """Return a default in the form of the variable."""
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, tuple):
        return ",".join(default)
    return "auto" if default is None else str(default)


def _unknown(environ: Mapping[str, str], settings: Iterable[Setting]) -> Iterable[str]:
    known = {s.variable for s in settings} | {f"{s.variable}_FILE" for s in settings if s.secret}
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known | _OF_THE_CLIENT:
            close = difflib.get_close_matches(name, known, n=1)
            suggestion = f" (did you mean {close[0]}?)" if close else ""
            yield f"{name} is not a Warpcourt setting{suggestion}; see docs/operations/install.md"


def _incomplete(texts: Mapping[str, str]) -> Iterable[str]:
    for group in _TOGETHER:
        there = [PREFIX + name for name in group if texts.get(name.lower())]
        missing = [PREFIX + name for name in group if not texts.get(name.lower())]
        if there and missing:
            yield f"{', '.join(missing)}: required by {' and '.join(there)}; set all of them or none"


def settings_of(config: type[Any]) -> tuple[Setting, ...]:
    """Return the settings of the fields of `config`, a dataclass of Pydantic, in their order."""
    return tuple(Setting.of(name, info) for name, info in config.__pydantic_fields__.items())


def read_settings(config: type[C], environ: Mapping[str, str]) -> C:
    """Return a `config` with the values of the environment.

    Raises:
        ConfigError: a variable is unknown or invalid. The message names all such variables.
    """
    settings = {setting.field: setting for setting in settings_of(config)}
    faults = list(_unknown(environ, settings.values()))
    texts: dict[str, str] = {}
    for setting in settings.values():
        try:
            texts |= setting.read(environ)
        except ValueError as error:
            faults.append(f"{setting.variable}: {error}")
        except OSError as error:
            faults.append(f"{setting.variable}_FILE: cannot read {error.filename}: {error.strerror}")
    faults += _incomplete(texts)
    try:
        parsed = config(**texts)
    except ValidationError as error:
        refused = [settings[str(fault["loc"][0])] for fault in error.errors(include_input=False)]
        faults += [f"{setting.variable}: must be {setting.takes.rule}" for setting in dict.fromkeys(refused)]
    if faults:
        raise ConfigError("; ".join(faults))
    return parsed
