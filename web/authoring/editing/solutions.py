"""The solutions of problem.toml as rows of a form. Their sources are separate files."""

from collections.abc import Sequence
from dataclasses import dataclass

from web.authoring.editing.document import TableRow, change_tables, read_document, tables_of
from web.authoring.editing.values import in_order_of, text_at, texts_at

KEY = "solutions"


@dataclass(frozen=True, slots=True)
class SolutionRow:
    """A solution: its file in `solutions/`, and the verdict that it must get."""

    came_from: int | None
    file: str
    verdict: str
    note: str = ""
    gpu_verdicts: tuple[str, ...] = ()
    baseline: str = ""
    label: str = ""


def read_solutions(text: str) -> tuple[SolutionRow, ...]:
    """Return the solutions in the text of problem.toml. Raises DescriptionUnreadable."""
    tables = tables_of(read_document(text), KEY)
    return tuple(
        SolutionRow(
            at,
            text_at(table, "file"),
            text_at(table, "verdict"),
            text_at(table, "note"),
            texts_at(table, "gpu_verdicts"),
            text_at(table, "baseline"),
            text_at(table, "label"),
        )
        for at, table in enumerate(tables)
    )


def write_solutions(text: str, rows: Sequence[SolutionRow]) -> str:
    """Return `text` with `rows` as its solutions. Raises DescriptionUnreadable."""
    before = {row.came_from: row.gpu_verdicts for row in read_solutions(text)}
    tables = [TableRow(row.came_from, _values(row, before.get(row.came_from, ()))) for row in rows]
    return change_tables(text, KEY, tables)


def _values(row: SolutionRow, gpu_verdicts: Sequence[str]) -> dict[str, object]:
    return {
        "file": row.file,
        "verdict": row.verdict,
        "gpu_verdicts": in_order_of(gpu_verdicts, row.gpu_verdicts) or None,
        "baseline": row.baseline or None,
        "label": (row.label or None) if row.baseline else None,
        "note": row.note,
    }
