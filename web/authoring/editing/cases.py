"""The cases of problem.toml as rows of a form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tomlkit.exceptions import TOMLKitError

from web.authoring.editing.document import TableRow, change_tables, inline, read_document, tables_of
from web.authoring.editing.values import plain_text, table_at, text_at

KEY = "cases"


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case. `inputs` are the inputs in the statement's example, as lines of TOML: `a = [1, 2]`."""

    came_from: int | None
    name: str
    group: str
    sizes: Mapping[str, int] = field(default_factory=dict)
    inputs: str = ""


def read_cases(text: str) -> tuple[CaseRow, ...]:
    """Return the cases in the text of problem.toml. Raises DescriptionUnreadable."""
    tables = tables_of(read_document(text), KEY)
    return tuple(
        CaseRow(
            at,
            text_at(table, "name"),
            text_at(table, "group"),
            {name: int(size) for name, size in table_at(table, "sizes").items() if _is_whole(size)},
            "".join(f"{name} = {plain_text(v)}\n" for name, v in table_at(table, "inputs").items()),
        )
        for at, table in enumerate(tables)
    )


def size_names(rows: Iterable[CaseRow]) -> tuple[str, ...]:
    """Return the name of every size in the cases, in order of first appearance."""
    return tuple(dict.fromkeys(name for row in rows for name in row.sizes))


def with_sizes(rows: Iterable[CaseRow], names: Sequence[str]) -> tuple[CaseRow, ...]:
    """Return the rows with exactly the sizes `names`. Sizes that a case lacked become 1."""
    return tuple(
        CaseRow(r.came_from, r.name, r.group, {name: r.sizes.get(name, 1) for name in names}, r.inputs)
        for r in rows
    )


def parse_inputs(text: str) -> dict[str, Any]:
    """Return the arrays in lines of TOML, by name. Raises ValueError, which says what is wrong."""
    try:
        return read_document(text).unwrap() if text.strip() else {}
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise ValueError("Write one line per input, such as a = [1, 2, 3].") from error


def write_cases(text: str, rows: Sequence[CaseRow]) -> str:
    """Return `text` with `rows` as its cases.

    Raises:
        DescriptionUnreadable: `text` is not TOML.
        ValueError: the inputs of a row are invalid; see `parse_inputs`.
    """
    return change_tables(text, KEY, [TableRow(row.came_from, _values(row)) for row in rows])


def _values(row: CaseRow) -> dict[str, object]:
    inputs = parse_inputs(row.inputs)
    return {
        "name": row.name,
        "group": row.group,
        "sizes": inline(row.sizes),
        "inputs": inline(inputs) if inputs else None,
    }


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
