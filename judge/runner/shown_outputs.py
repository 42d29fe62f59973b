"""Selects what a run shows of a public case: the first elements of arrays, and where outputs are wrong.

All of it is bounded, whatever the size of the output: SHOWN_ELEMENTS values and MOST_BINS counts. Outputs of
more than MOST_ELEMENTS elements are not copied to the host and not shown.
"""

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from judge.drawn import expected_name, outputs
from judge.dtypes import expected_dtype, narrow, storage, widen
from judge.report import ShownInput, ShownOutput
from judge.runner.comparison import UNWRITTEN, as_text, describe, find_wrong
from judge.runner.memory import Memory, PrivateBytes
from judge.sizes import scalar_of, shape_of
from problems.schema import Argument, Case, Problem, Tolerance
from problems.vocabulary import Role

MOST_ELEMENTS = 1 << 20
SHOWN_ELEMENTS = 64
_CORNER = 8  # rows and columns of a matrix that are shown
_LINE_BINS = 64
_GRID_BINS = 16  # rows and columns of the map of a matrix
MOST_BINS = _GRID_BINS * _GRID_BINS


def shown_outputs(
    problem: Problem,
    case: Case,
    memory: Memory,
    contents: Mapping[str, PrivateBytes],
    *,
    snapshots: Mapping[str, PrivateBytes],
    poisons: Mapping[str, PrivateBytes],
) -> tuple[ShownOutput, ...]:
    """Return what to show of each output of `case`, none for a hidden case.

    The author's checker may accept values other than the expected ones. So with a checker, nothing is
    compared.
    """
    if not case.public:
        return ()
    shown = []
    for argument in outputs(problem):
        shape = shape_of(argument, case.sizes)
        if not 0 < math.prod(shape) <= MOST_ELEMENTS:
            continue
        got = memory.to_host(snapshots[argument.name]).view(storage(argument.dtype)).reshape(shape)
        poison = poisons.get(argument.name)
        held = None
        if poison is not None:
            held = memory.to_host(poison).view(storage(argument.dtype)).reshape(shape)
        expected = None
        if problem.checker is None:
            wanted = expected_dtype(argument.dtype)
            told = memory.to_host(contents[expected_name(argument)])
            expected = told.view(storage(wanted)).reshape(shape)
        shown.append(show(argument, got=got, expected=expected, poison=held))
    return tuple(shown)


def shown_inputs(
    problem: Problem, case: Case, memory: Memory, contents: Mapping[str, PrivateBytes]
) -> tuple[ShownInput, ...]:
    """Return what to show of each scalar and each input of `case`, none for a hidden case."""
    if not case.public:
        return ()
    shown = []
    for argument in problem.arguments:
        if argument.role is Role.SCALAR:
            value = narrow(np.array([scalar_of(argument, case)]), argument.dtype)
            text = as_text(widen(value, argument.dtype)[0])
            shown.append(ShownInput(argument.name, (), (1, 1), (text,)))
        elif argument.role is not Role.OUT:
            shape = shape_of(argument, case.sizes)
            if not 0 < math.prod(shape) <= MOST_ELEMENTS:
                continue
            stored = memory.to_host(contents[argument.name]).view(storage(argument.dtype))
            corner, places = _first(shape)
            values = widen(stored[places], argument.dtype)
            shown.append(ShownInput(argument.name, shape, corner, tuple(as_text(value) for value in values)))
    return tuple(shown)


def show(
    argument: Argument,
    *,
    got: npt.NDArray[np.generic],
    expected: npt.NDArray[np.generic] | None,
    poison: npt.NDArray[np.generic] | None,
) -> ShownOutput:
    """Return what to show of one output. The arrays are those of `comparison.compare`.

    Without `expected`, nothing is compared.
    """
    shape = got.shape
    rows, columns = _folded(shape)
    values = widen(got, argument.dtype)
    if expected is None:
        wrong = np.zeros(shape, np.bool_)
        unwritten = wrong
    else:
        tolerance = argument.tolerance or Tolerance()
        wrong, unwritten = find_wrong(
            values, got, expected=expected, poison=poison, dtype=argument.dtype, tolerance=tolerance
        )
    corner, places = _first(shape)
    flat_wrong, flat_unwritten = wrong.reshape(-1), unwritten.reshape(-1)
    worst = None
    if expected is not None and flat_wrong.any():
        at = _worst(values.reshape(-1), expected.reshape(-1), flat_wrong & ~flat_unwritten)
        if at is not None:
            place = np.array([at])
            (worst,) = describe(
                argument.name,
                shape,
                place,
                got=values.reshape(-1)[place],
                expected=expected.reshape(-1)[place],
                unwritten=np.zeros(1, np.bool_),
            )
    grid = (1, min(columns, _LINE_BINS)) if rows == 1 else (min(rows, _GRID_BINS), min(columns, _GRID_BINS))
    return ShownOutput(
        argument=argument.name,
        shape=tuple(int(extent) for extent in shape),
        corner=corner,
        values=tuple(
            UNWRITTEN if flat_unwritten[at] else as_text(values.reshape(-1)[at]) for at in places.tolist()
        ),
        expected=() if expected is None else tuple(as_text(v) for v in expected.reshape(-1)[places]),
        wrong=tuple(index for index, at in enumerate(places.tolist()) if flat_wrong[at]),
        worst=worst,
        grid=grid,
        counts=_counts(flat_wrong, columns, rows, grid),
    )


def _folded(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the output as rows and columns: one row for a vector; else the last axis are the columns."""
    return (1, shape[0]) if len(shape) == 1 else (math.prod(shape[:-1]), shape[-1]) if shape else (1, 1)


def _first(shape: tuple[int, ...]) -> tuple[tuple[int, int], npt.NDArray[np.int64]]:
    """Return the rows and columns that are shown of an array, and the places of their elements."""
    rows, columns = _folded(shape)
    corner = _corner(rows, columns)
    return corner, (np.arange(corner[0])[:, None] * columns + np.arange(corner[1])).reshape(-1)


def _corner(rows: int, columns: int) -> tuple[int, int]:
    if rows == 1:
        return 1, min(columns, SHOWN_ELEMENTS)
    across = min(columns, _CORNER)
    return min(rows, SHOWN_ELEMENTS // across), across


def _worst(
    got: npt.NDArray[np.generic], expected: npt.NDArray[np.generic], wrong: npt.NDArray[np.bool_]
) -> int | None:
    """Return the index of the wrong element with the largest error, None if no error is a number."""
    with np.errstate(all="ignore"):
        off = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    off = np.where(wrong & np.isfinite(off), off, -1.0)
    at = int(off.argmax())
    return at if off[at] >= 0 else None


def _counts(wrong: npt.NDArray[np.bool_], columns: int, rows: int, grid: tuple[int, int]) -> tuple[int, ...]:
    """Return the number of wrong elements in each cell of `grid`, row by row; empty if none is wrong."""
    flat = np.flatnonzero(wrong)
    if not flat.size:
        return ()
    down, across = flat // columns * grid[0] // rows, flat % columns * grid[1] // columns
    return tuple(int(n) for n in np.bincount(down * grid[1] + across, minlength=grid[0] * grid[1]))
