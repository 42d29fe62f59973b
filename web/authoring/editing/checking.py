"""The tolerances of problem.toml, one for each checked output."""

from collections.abc import Sequence
from dataclasses import dataclass

from problems.vocabulary import Dtype, Role
from web.authoring.editing.document import TableRow, change_tables, inline, number, read_document, tables_of
from web.authoring.editing.values import number_at, table_at, text_at

KEY = "arguments"
_CHECKED = {Role.OUT.value, Role.INOUT.value}
_FLOATS = {dtype.value for dtype in Dtype if dtype.is_float}


@dataclass(frozen=True, slots=True)
class ToleranceRow:
    """The tolerance of an output. `at` is its position among the arguments.

    Numbers are as the file writes them. An output that is not a float is compared exactly, without a
    tolerance.
    """

    at: int
    name: str
    dtype: str
    relative: str = ""
    absolute: str = ""
    nan: bool = False

    @property
    def exact(self) -> bool:
        """Return whether the output is compared exactly, without a tolerance."""
        return self.dtype not in _FLOATS


def read_tolerances(text: str) -> tuple[ToleranceRow, ...]:
    """Return the tolerances of the outputs in the text of problem.toml. Raises DescriptionUnreadable."""
    rows = []
    for at, table in enumerate(tables_of(read_document(text), KEY)):
        if text_at(table, "role") not in _CHECKED:
            continue
        tolerance = table_at(table, "tolerance")
        rows.append(
            ToleranceRow(
                at,
                text_at(table, "name"),
                text_at(table, "dtype"),
                number_at(tolerance, "relative"),
                number_at(tolerance, "absolute"),
                tolerance.get("nan") is True,
            )
        )
    return tuple(rows)


def write_tolerances(text: str, rows: Sequence[ToleranceRow]) -> str:
    """Return `text` with the tolerances of `rows`.

    Raises:
        DescriptionUnreadable: `text` is not TOML.
        ValueError: a tolerance is not a number.
    """
    by_place = {row.at: row for row in rows}
    count = len(tables_of(read_document(text), KEY))
    return change_tables(
        text,
        KEY,
        [TableRow(at, {"tolerance": _value(by_place[at])} if at in by_place else {}) for at in range(count)],
    )


def _value(row: ToleranceRow) -> object:
    if row.exact:
        return None
    values: dict[str, object] = {
        name: number(value)
        for name, value in (("relative", row.relative), ("absolute", row.absolute))
        if value.strip()
    }
    if row.nan:
        values["nan"] = True
    # An empty table means an exact comparison, which must be explicit for floats.
    return inline(values or {"absolute": 0.0})
