"""Reads TOML tables with types. A wrong value is reported as a fault and replaced by a valid placeholder."""

import math
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from problems.faults import Faults

E = TypeVar("E", bound=StrEnum)
_KINDS: dict[type, str] = {
    str: "text in quotes",
    int: "a whole number",
    bool: "true or false",
    dict: "a table",
    list: "an array",
}


class TomlTable:
    """One TOML table. Read its keys, then `close` it to reject unread keys."""

    def __init__(self, values: object, where: str, faults: Faults) -> None:
        self._values: dict[str, object] = values if isinstance(values, dict) else {}
        self._where = where
        self._faults = faults
        self._read: list[str] = []
        if not isinstance(values, dict):
            self._faults.add(faults.table_file, where, f"must be a table, not {kind_of(values)}")

    def fault(self, key: str, text: str) -> None:
        """Record a fault at `key` of this table, or at the table itself if `key` is empty."""
        self._faults.add(self._faults.table_file, self.path(key) if key else self._where, text)

    def path(self, key: str) -> str:
        """The full name of `key`, such as `cases[2].sizes`."""
        return f"{self._where}.{key}" if self._where else key

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that the file has, in its order."""
        return tuple(self._values)

    def has(self, key: str) -> bool:
        """Whether the file has `key`. It then counts as known."""
        self._read.append(key)
        return key in self._values

    def text(self, key: str, *, most: int, pattern: str = "", example: str = "") -> str:
        """Required text of 1 to `most` characters that `pattern` matches in full."""
        value = self._required(key, str, example)
        if not isinstance(value, str):
            return ""
        if not 1 <= len(value.strip()) <= len(value) <= most:
            self.fault(key, f"must have 1 to {most} characters, has {len(value)}")
        elif pattern and not re.fullmatch(pattern, value):
            self.fault(key, f"{shorten(value)} is not of the form {pattern}; write it like {example!r}")
        return value

    def integer(self, key: str, *, least: int, most: int, default: int | None = None) -> int:
        """A whole number from `least` to `most`, required unless there is a default."""
        if default is not None and not self.has(key):
            return default
        value = self._required(key, int, str(least))
        if not isinstance(value, int):
            return least
        if not least <= value <= most:
            self.fault(key, f"must be from {least} to {most}, is {shorten(value)}")
            return least
        return value

    def number(self, key: str, *, most: float, default: float, zero: bool) -> float:
        """An optional number up to `most`, above 0, or 0 itself where `zero` allows it."""
        if not self.has(key):
            return default
        value = self._values[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fault(key, f"must be a number, not {kind_of(value)}")
        elif not (math.isfinite(value) and (0 < value <= most or (zero and value == 0))):
            self.fault(key, f"must be {'from' if zero else 'above'} 0 to {most:g}, is {shorten(value)}")
        else:
            return float(value)
        return default

    def flag(self, key: str) -> bool:
        """An optional boolean, false by default."""
        return bool(self._required(key, bool, "true")) if self.has(key) else False

    def choice(self, key: str, among: Iterable[E]) -> E:
        """One of the words of an enum, required. The placeholder is the first one."""
        options = list(among)
        value = self._required(key, str, options[0].value)
        if isinstance(value, str):
            if value in options:
                return options[options.index(value)]  # type: ignore[arg-type]  # a StrEnum equals its text
            self._refuse_word(key, value, options)
        return options[0]

    def choices(self, key: str, among: Iterable[E], *, default: tuple[E, ...] | None = None) -> tuple[E, ...]:
        """An optional array of different words of an enum, by default all of them."""
        options = tuple(among)
        if not self.has(key):
            return options if default is None else default
        found: list[E] = []
        for value in self.texts(key):
            if value not in options:
                self._refuse_word(key, value, options)
            elif value in found:
                self.fault(key, f"{shorten(value)} is listed twice; keep one")
            else:
                found.append(options[options.index(value)])
        return tuple(found) or options

    def texts(self, key: str) -> tuple[str, ...]:
        """A required array of texts that is not empty."""
        values = self._required(key, list, '["…"]')
        if not isinstance(values, list):
            return ()
        if not values:
            self.fault(key, "must not be empty")
        for index, value in enumerate(values):
            if not isinstance(value, str):
                self.fault(f"{key}[{index}]", f"must be text in quotes, not {kind_of(value)}")
        return tuple(value for value in values if isinstance(value, str))

    def integers(self, key: str, *, least: int, most: int) -> tuple[int, ...]:
        """A required array of whole numbers from `least` to `most` that is not empty."""
        values = self._required(key, list, f"[{least}]")
        if not isinstance(values, list):
            return ()
        if not values:
            self.fault(key, "must not be empty")
        for index, value in enumerate(values):
            if type(value) is not int:
                self.fault(f"{key}[{index}]", f"must be a whole number, not {kind_of(value)}")
            elif not least <= value <= most:
                self.fault(f"{key}[{index}]", f"must be from {least} to {most}, is {shorten(value)}")
        return tuple(value for value in values if type(value) is int)

    def table(self, key: str, *, required: bool = True) -> "TomlTable":
        """A table below this one. An absent one that is not required reads as empty."""
        if not required and not self.has(key):
            return TomlTable({}, self.path(key), self._faults)
        return TomlTable(self._required(key, dict, "{ … }") or {}, self.path(key), self._faults)

    def tables(self, key: str) -> tuple["TomlTable", ...]:
        """An array of tables, `[[key]]`, that is not empty."""
        values = self._required(key, list, f"[[{key}]]")
        if not isinstance(values, list):
            return ()
        if not values:
            self.fault(key, f"must not be empty; write at least one [[{key}]] table")
        return tuple(TomlTable(v, self.path(f"{key}[{i}]"), self._faults) for i, v in enumerate(values))

    def raw(self, key: str) -> object:
        """The value of a key that is there, of whatever type."""
        self._read.append(key)
        return self._values[key]

    def close(self) -> None:
        """Refuse the keys that were not read."""
        known = ", ".join(dict.fromkeys(self._read))
        for key in self._values:
            if key not in self._read:
                self.fault(shorten(key, quotes=False), f"unknown key; known keys here are {known}")

    def _required(self, key: str, kind: type, example: str) -> object:
        if not self.has(key):
            self.fault(key, f"missing; write {key} = {example}" if example else "missing")
            return None
        value = self._values[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fault(key, f"must be {_KINDS[kind]}, not {kind_of(value)}")
            return None
        return value

    def _refuse_word(self, key: str, value: str, options: Iterable[StrEnum]) -> None:
        words = ", ".join(option.value for option in options)
        self.fault(key, f"{shorten(value)} is unknown; use one of {words}")


def kind_of(value: object) -> str:
    """Return the kind of a TOML value, in words."""
    if isinstance(value, float):
        return "a decimal number"
    return next((words for kind, words in reversed(_KINDS.items()) if type(value) is kind), "a date")


def shorten(value: object, *, quotes: bool = True) -> str:
    """Return the value as one line of bounded length for a message."""
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number of more than 30 digits"
    text = repr(value) if quotes else repr(value)[1:-1]
    return text if len(text) <= 60 else text[:59] + "…"
