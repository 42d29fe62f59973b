"""The outputs of a run, case by case: the first elements, the wrong ones among them, and a map of all."""

import math
from dataclasses import dataclass

from django.utils.safestring import SafeString

from judge.report import CaseReport, Mismatch, Report, ShownOutput
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
class OutputPanel:
    """An output of a case. `map` and `where` are empty if nothing is wrong."""

    name: str
    shape: str
    rows: tuple[CellRow, ...]
    columns: tuple[str, ...]
    left_out: int
    compared: bool
    first: Mismatch | None
    worst: Mismatch | None
    map: SafeString | str
    where: str


@dataclass(frozen=True, slots=True)
class CaseOutputs:
    """The outputs of a case. `number` counts the cases from 1."""

    number: int
    case: CaseReport
    outputs: tuple[OutputPanel, ...]


def case_outputs(report: Report) -> tuple[CaseOutputs, ...]:
    """Return the outputs of the cases of `report` that have some. Only runs on public cases do."""
    shown = (case for case in report.cases if case.outputs)
    return tuple(
        CaseOutputs(number, case, tuple(_panel(case, output) for output in case.outputs))
        for number, case in enumerate(shown, start=1)
    )


def _panel(case: CaseReport, output: ShownOutput) -> OutputPanel:
    down, across = output.corner
    is_vector = len(output.shape) < 2
    columns = output.shape[-1] if output.shape else 1
    extents = (math.prod(output.shape) // max(1, columns), columns)
    wrong = frozenset(output.wrong)
    cells = [
        Cell(value, at in wrong, output.expected[at] if at in wrong and at < len(output.expected) else "")
        for at, value in enumerate(output.values)
    ]
    step = _PER_ROW if is_vector else across
    first = next((entry for entry in case.mismatches if entry.argument == output.argument), None)
    worst = output.worst if first is None or output.worst != first else None
    counted = output.counts if len(output.counts) == math.prod(output.grid) else ()
    return OutputPanel(
        name=output.argument,
        shape=" \N{MULTIPLICATION SIGN} ".join(f"{extent:,}" for extent in output.shape) or "1",
        rows=tuple(
            CellRow(str(start if is_vector else start // step), tuple(cells[start : start + step]))
            for start in range(0, len(cells), step)
        ),
        columns=tuple(
            f"+{at}" if is_vector and len(cells) > step else str(at) for at in range(min(step, len(cells)))
        ),
        left_out=math.prod(output.shape) - down * across,
        compared=bool(output.expected),
        first=first,
        worst=worst,
        map=error_map(counted, grid=output.grid, shape=extents, name=output.argument) if counted else "",
        where=where(counted, grid=output.grid, shape=extents) if counted else "",
    )
