"""What a document says, read without faith: a value of another type than expected reads as absent."""

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.items import Item


def text_at(table: Mapping[str, Any], key: str) -> str:
    """The text at `key`, empty where there is none."""
    value = table.get(key)
    return str(value) if isinstance(value, str) else ""


def texts_at(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The texts of the array at `key`."""
    values = table.get(key)
    return tuple(str(value) for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def number_at(table: Mapping[str, Any], key: str) -> str:
    """The number at `key` as it is written there, empty where there is none."""
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return value.as_string() if isinstance(value, Item) else str(value)


def table_at(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The table at `key`, empty where there is none."""
    value = table.get(key)
    return value if isinstance(value, Mapping) else {}


def plain_text(value: object) -> str:
    """`value` as TOML writes it, in one line."""
    return tomlkit.item(value).as_string()
