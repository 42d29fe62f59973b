"""Lenient reads of a document: a value of an unexpected type is read as absent."""

from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.items import Item


def text_at(table: Mapping[str, Any], key: str) -> str:
    """Return the text at `key`, or an empty string if there is none."""
    value = table.get(key)
    return str(value) if isinstance(value, str) else ""


def texts_at(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return the texts in the array at `key`."""
    values = table.get(key)
    return tuple(str(value) for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def in_order_of(before: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return `chosen` with the values of `before` first, in their order.

    Checkboxes have an order of their own. Without this, a form would rewrite an array with the same values.
    """
    kept = [value for value in before if value in chosen]
    return kept + [value for value in chosen if value not in kept]


def integers_at(table: Mapping[str, Any], key: str) -> tuple[int, ...]:
    """Return the whole numbers in the array at `key`."""
    values = table.get(key)
    known = values if isinstance(values, list) else ()
    return tuple(int(value) for value in known if isinstance(value, int) and not isinstance(value, bool))


def number_at(table: Mapping[str, Any], key: str) -> str:
    """Return the number at `key` as the file writes it, or an empty string if there is none."""
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return value.as_string() if isinstance(value, Item) else str(value)


def table_at(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the table at `key`, or an empty one if there is none."""
    value = table.get(key)
    return value if isinstance(value, Mapping) else {}


def plain_text(value: object) -> str:
    """Return `value` as TOML, on one line."""
    return tomlkit.item(value).as_string()
