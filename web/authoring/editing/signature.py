"""The arguments of problem.toml as rows of a form."""

from collections.abc import Sequence
from dataclasses import dataclass

from problems.vocabulary import Dtype, Role
from web.authoring.editing.document import TableRow, change_tables, inline, number, read_document, tables_of
from web.authoring.editing.values import number_at, table_at, text_at, texts_at

KEY = "arguments"
_CHECKED = {Role.OUT.value, Role.INOUT.value}
# The initial tolerance of a new float output, about a hundred times the rounding error of its dtype.
_FIRST_TOLERANCE = {
    Dtype.FLOAT64.value: "1e-13",
    Dtype.FLOAT32.value: "1e-5",
    Dtype.FLOAT16.value: "1e-2",
    Dtype.BFLOAT16.value: "5e-2",
}


@dataclass(frozen=True, slots=True)
class ArgumentRow:
    """An argument. Arrays have a `shape`, with one formula for each dimension. Scalars have a `value`.

    A `zeroed` output contains zeros before each call. `memory` says where an array is. If it is empty, the
    array is in the memory of GPU `device`. The values of an input are from `least` to `most`, and its rows
    have the `order`. All three may be empty. If `custom`, learners may give their own values. A scalar
    without a `value` is drawn from its range.
    """

    came_from: int | None
    name: str
    role: str
    dtype: str
    shape: tuple[str, ...] = ()
    value: str = ""
    zeroed: bool = False
    least: str = ""
    most: str = ""
    order: str = ""
    custom: bool = True
    memory: str = ""
    device: int = 0

    @property
    def scalar(self) -> bool:
        """Return whether the argument is a scalar, which is passed by value."""
        return self.role == Role.SCALAR.value


def read_arguments(text: str) -> tuple[ArgumentRow, ...]:
    """Return the arguments in the text of problem.toml. Raises DescriptionUnreadable."""
    return tuple(
        ArgumentRow(
            at,
            text_at(table, "name"),
            text_at(table, "role"),
            text_at(table, "dtype"),
            texts_at(table, "shape"),
            text_at(table, "value"),
            table.get("zeroed") is True,
            text_at(table_at(table, "values"), "least"),
            text_at(table_at(table, "values"), "most"),
            text_at(table_at(table, "values"), "order"),
            table_at(table, "values").get("custom") is not False,
            text_at(table, "memory"),
            int(number_at(table, "device") or 0),
        )
        for at, table in enumerate(tables_of(read_document(text), KEY))
    )


def write_arguments(text: str, rows: Sequence[ArgumentRow]) -> str:
    """Return `text` with `rows` as its arguments.

    Outputs that are no longer compared lose their tolerance. New float outputs get an initial one. Raises
    DescriptionUnreadable.
    """
    known = tables_of(read_document(text), KEY)
    tables = []
    for row in rows:
        values: dict[str, object] = {
            "name": row.name,
            "role": row.role,
            "dtype": row.dtype,
            "shape": None if row.scalar else list(row.shape),
            "value": (row.value or None) if row.scalar else None,
            "values": _rule(row),
            "zeroed": row.zeroed or None,
            "memory": None if row.scalar else row.memory or None,
            "device": None if row.scalar else row.device or None,
        }
        first = _FIRST_TOLERANCE.get(row.dtype) if row.role in _CHECKED else None
        if first is None:
            values["tolerance"] = None
        elif row.came_from is None or "tolerance" not in known[row.came_from]:
            values["tolerance"] = inline({"relative": number(first)})
        tables.append(TableRow(row.came_from, values))
    return change_tables(text, KEY, tables)


def _rule(row: ArgumentRow) -> object:
    """Return the table `values` of an argument, None if it would be empty."""
    told: dict[str, object] = {"least": row.least, "most": row.most, "order": row.order}
    rule = {key: text for key, text in told.items() if text} | ({} if row.custom else {"custom": False})
    return inline(rule) if rule else None
