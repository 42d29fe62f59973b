"""Edits of the text of problem.toml that keep everything else, including comments and order.

Theory of operation. Forms show the values of the file and write changed values back. A file that is not TOML
has no forms. Authors edit it as text. Values of the wrong type are read as absent: the faults of the package
report them, and saving the form writes the right type.

Each table of an array is identified by `came_from`, its position in the text from which the form was made.
While the number and the order of the tables stay the same, values are replaced in place. Otherwise the array
is rebuilt from the texts of its tables. Comments directly above a table's header, after a blank line, move
with the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError
from tomlkit.items import AoT, Comment, Item, Table, Whitespace
from tomlkit.toml_document import TOMLDocument

from problems.toml_bounds import toml_excess

_NUMBER_CHARACTERS = 60


class DescriptionUnreadable(ValueError):
    """Raised when problem.toml is not TOML. The message is for its author. `line` is counted from 1."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table of an array: its previous position (None if it is new), and its values. None removes a key."""

    came_from: int | None
    values: Mapping[str, object]


@lru_cache(maxsize=4)
def read_document(text: str) -> TOMLDocument:
    """Return the document in `text`. Do not change it: a page reads the same text for each of its forms.

    Raises:
        DescriptionUnreadable: it is not TOML.
    """
    return _parse(text)


def _parse(text: str) -> TOMLDocument:
    """Return the document in `text`, for the caller to change. Raises DescriptionUnreadable."""
    if excess := toml_excess(text):
        raise DescriptionUnreadable(f"It {excess}.", 1)
    try:
        return tomlkit.parse(text)
    except ParseError as error:
        message = str(error).partition(" at line ")[0]
        raise DescriptionUnreadable(f"{message}.", error.line) from error
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise DescriptionUnreadable(f"{error}.", 1) from error


def tables_of(document: TOMLDocument, key: str) -> list[Table]:
    """Return the tables of the array `key` in order, or an empty list if `key` is not an array of tables."""
    found = document.get(key)
    return list(found.body) if isinstance(found, AoT) else []


def table_of(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the table `key`, or an empty one if it is missing."""
    found = document.get(key)
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def change_top(text: str, values: Mapping[str, object]) -> str:
    """Return `text` with `values` for its top-level keys.

    None removes a key. Raises DescriptionUnreadable.
    """
    for key, value in values.items():
        document = _parse(text)
        if key in document:
            _change(document, {key: value})
            text = tomlkit.dumps(document)
        elif value is not None:
            text = _insert(document, tomlkit.dumps({key: value}))
    return text


def change_table(text: str, key: str, values: Mapping[str, object]) -> str:
    """Return `text` with `values` in the table `key`. Its other keys stay. None removes a key.

    Raises:
        DescriptionUnreadable: `text` is not TOML.
    """
    document = _parse(text)
    found = document.get(key)
    if isinstance(found, Mapping):
        _change(cast("Table", found), values)
        if found:
            return tomlkit.dumps(document)
        comments = _take_trailing_comments(found) if isinstance(found, Table) else ""
        before, after = _around(document, key)
        return before + comments + after
    if found is not None:
        document.remove(key)
    fresh = tomlkit.table()
    _change(fresh, values)
    return _insert(document, f"[{key}]\n{_body(fresh)}\n") if fresh else tomlkit.dumps(document)


def change_tables(text: str, key: str, rows: Sequence[TableRow]) -> str:
    """Return `text` with `rows` as the array of tables `key`, in order. Raises DescriptionUnreadable."""
    document = _parse(text)
    known = tables_of(document, key)
    if known and [row.came_from for row in rows] == list(range(len(known))):
        for table, row in zip(known, rows, strict=True):
            _change(table, row.values)
        return tomlkit.dumps(document)
    before, after = _around(document, key)
    if known:
        section = _written_anew(key, known, rows)
    else:
        section = "\n".join(_written(key, tomlkit.table(), row) for row in rows)
        before = f"{before.rstrip()}\n\n" if before.strip() else ""
    return before + section + after


def number(text: str) -> Item:
    """Return the TOML number that `text` is, with its spelling. Raises ValueError if it is not a number."""
    if len(text) > _NUMBER_CHARACTERS:
        raise ValueError(f"{text[:20]!r}… is too long for a number")
    try:
        value = tomlkit.value(text.strip())
    except (TOMLKitError, RecursionError) as error:
        raise ValueError(f"{text!r} is not a number") from error
    if isinstance(value.unwrap(), bool) or not isinstance(value.unwrap(), int | float):
        raise ValueError(f"{text!r} is not a number")  # noqa: TRY004 - a text of the wrong form
    return value


def inline(values: Mapping[str, object]) -> Item:
    """Return `values` as an inline table."""
    entries = (
        f"{tomlkit.key(name).as_string()} = {tomlkit.item(v).as_string()}" for name, v in values.items()
    )
    return tomlkit.value(f"{{ {', '.join(entries)} }}") if values else tomlkit.inline_table()


def _written_anew(key: str, known: Sequence[Table], rows: Sequence[TableRow]) -> str:
    leads = ["", *(_take_trailing_comments(table) for table in known)]
    tail = leads.pop()
    texts = []
    for row in rows:
        if row.came_from is None or not 0 <= row.came_from < len(known):
            texts.append(_written(key, tomlkit.table(), row))
        else:
            texts.append(leads[row.came_from] + _written(key, known[row.came_from], row))
    return "\n".join(texts) + ("\n" if texts else "") + tail


def _written(key: str, table: Table, row: TableRow) -> str:
    _change(table, row.values)
    return f"[[{key}]]\n{_body(table)}\n"


def _body(table: Table) -> str:
    return table.as_string().strip()


def _take_trailing_comments(table: Table) -> str:
    """Remove and return the comments below the last blank line of `table`. They belong to the next item."""
    body = table.value.body
    at = len(body)
    while at and isinstance(body[at - 1][1], Comment):
        at -= 1
    if at == len(body) or not at or not isinstance(body[at - 1][1], Whitespace):
        return ""
    text = "".join(item.as_string() for _, item in body[at:])
    del body[at:]
    return text


def _change(table: Table | TOMLDocument, values: Mapping[str, object]) -> None:
    for key, value in values.items():
        if value is None:
            if key in table:
                table.remove(key)
        elif key not in table:
            table.append(key, cast("Any", value))
        elif not _same(table[key], value):
            table[key] = value


def _same(old: object, new: object) -> bool:
    before, now = (side.unwrap() if isinstance(side, Item) else side for side in (old, new))
    same_order = not isinstance(before, dict) or list(before) == list(cast("Any", now) or ())
    return type(before) is type(now) and before == now and same_order


def _insert(document: TOMLDocument, written: str) -> str:
    """Return the text of `document` with `written` above its first table and that table's comments."""
    head, tail = _halves(document, lambda item: isinstance(item, AoT | Table))
    lines = head.splitlines(keepends=True)
    at = len(lines)
    while tail and at and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    above, comments = "".join(lines[:at]).rstrip(), "".join(lines[at:])
    gap = "\n\n" if written.startswith("[") else "\n"
    return (f"{above}{gap}" if above else "") + written + ("\n" if tail else "") + comments + tail


def _around(document: TOMLDocument, key: str) -> tuple[str, str]:
    """Return the texts before and after the item `key`.

    Without the item, the first text is the whole document.
    """
    found = document.item(key) if key in document else None
    before, rest = _halves(document, lambda item: item is found)
    if found is None:
        return before + rest, ""
    document.remove(key)
    return before, tomlkit.dumps(document)[len(before) :]


def _halves(document: TOMLDocument, begins: Any) -> tuple[str, str]:
    """Return the text of `document` before the first item for which `begins` is true, and the rest."""
    text = tomlkit.dumps(document)
    until = tomlkit.document()
    for key, item in document.body:
        if begins(item):
            at = len(tomlkit.dumps(until))
            return text[:at], text[at:]
        until.body.append((key, item))
    return text, ""
