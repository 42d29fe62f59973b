"""Inputs and outputs of a run, case by case: the first elements, the wrong ones, and a map of all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from judge.report import CaseReport, Mismatch, Report, ShownOutput
from judge.values import CUSTOM
from web.charts.error_map import error_map, where

_PER_ROW = 8  # elements of a vector


@dataclass(frozen=True, slots=True)
class Cell:
    """An element. `expected` is empty if it is right."""

    value: str
    wrong: bool
    expected: str


@dataclass(frozen=True, slots=True)
class CellRow:
    """A row of elements. `label` is the index of its first element, or of the row of a matrix."""

    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ElementTable:
    """The first elements of an array. `left_out` counts the others."""

    name: str
    shape: str
    rows: tuple[CellRow, ...]
    columns: tuple[str, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class OutputPanel:
    """An output of a case, with the expected values if they are known.

    `map` and `where` are empty if nothing is wrong.
    """

    table: ElementTable
    expected: ElementTable | None
    first: Mismatch | None
    worst: Mismatch | None
    map: SafeString | str
    where: str


@dataclass(frozen=True, slots=True)
class CaseOutputs:
    """Inputs and outputs of a case. `number` counts the cases from 1. `scalars` are names and values."""

    number: int
    case: CaseReport
    scalars: tuple[tuple[str, str], ...]
    inputs: tuple[ElementTable, ...]
    outputs: tuple[OutputPanel, ...]

    @property
    def custom(self) -> bool:
        """Return whether it is a user's own case."""
        return self.case.name == CUSTOM


def case_outputs(report: Report) -> tuple[CaseOutputs, ...]:
    """Return the outputs of the cases in `report` that have any. Only runs on public cases have outputs."""
    shown = (case for case in report.cases if case.outputs)
    return tuple(
        CaseOutputs(
            number,
            case,
            tuple((given.argument, given.values[0]) for given in case.inputs if not given.shape),
            tuple(
                _table(given.argument, given.shape, given.corner, [Cell(v, False, "") for v in given.values])
                for given in case.inputs
                if given.shape
            ),
            tuple(_panel(case, output) for output in case.outputs),
        )
        for number, case in enumerate(shown, start=1)
    )


def _panel(case: CaseReport, output: ShownOutput) -> OutputPanel:
    name, shape, wrong = output.argument, output.shape, frozenset(output.wrong)
    columns = shape[-1] if shape else 1
    extents = (math.prod(shape) // max(1, columns), columns)
    cells = [
        Cell(value, at in wrong, output.expected[at] if at in wrong and at < len(output.expected) else "")
        for at, value in enumerate(output.values)
    ]
    wanted = [Cell(value, False, "") for value in output.expected]
    first = next((entry for entry in case.mismatches if entry.argument == name), None)
    worst = output.worst if first is None or output.worst != first else None
    counted = output.counts if len(output.counts) == math.prod(output.grid) else ()
    return OutputPanel(
        table=_table(name, shape, output.corner, cells),
        expected=_table(name, shape, output.corner, wanted) if wanted else None,
        first=first,
        worst=worst,
        map=error_map(counted, grid=output.grid, shape=extents, name=name) if counted else "",
        where=where(counted, grid=output.grid, shape=extents) if counted else "",
    )


def _table(name: str, shape: tuple[int, ...], corner: tuple[int, int], cells: Sequence[Cell]) -> ElementTable:
    down, across = corner
    is_vector = len(shape) < 2
    step = _PER_ROW if is_vector else across
    return ElementTable(
        name=name,
        shape=" \N{MULTIPLICATION SIGN} ".join(f"{extent:,}" for extent in shape) or "1",
        rows=tuple(
            CellRow(str(start if is_vector else start // step), tuple(cells[start : start + step]))
            for start in range(0, len(cells), step)
        ),
        columns=tuple(
            f"+{at}" if is_vector and len(cells) > step else str(at) for at in range(min(step, len(cells)))
        ),
        left_out=math.prod(shape) - down * across,
    )
