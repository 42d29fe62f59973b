"""Draws the positions of wrong elements in an array: a strip for a vector, a grid for a matrix."""

import math
from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

_STEP = 14  # a square with its gap
_SIDE = 12
_STRIP_HEIGHT = 24
_LEVELS = 4


def error_map(
    counts: Sequence[int], *, grid: tuple[int, int], shape: tuple[int, int], name: str
) -> SafeString:
    """Return an image of the number of wrong elements in each cell of `grid` over an array of `shape`.

    `counts` go row by row. `where` says the same in words, for its caption.
    """
    rows, columns = grid
    height = _STRIP_HEIGHT if rows == 1 else _SIDE
    cells = format_html_join(
        "",
        '<rect class="error error-{}" x="{}" y="{}" width="{}" height="{}" rx="1.5"><title>{}</title></rect>',
        (
            (
                _level(count, _size(at, grid, shape)),
                at % columns * _STEP,
                at // columns * _STEP,
                *(_SIDE, height),
                f"{_place(at, grid, shape)}: {count} wrong",
            )
            for at, count in enumerate(counts)
        ),
    )
    return format_html(
        '<svg class="error-map error-map-{}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        "strip" if rows == 1 else "grid",
        columns * _STEP,
        height if rows == 1 else rows * _STEP,
        f"Map of the wrong elements of {name}. {where(counts, grid=grid, shape=shape)}",
        cells,
    )


def where(counts: Sequence[int], *, grid: tuple[int, int], shape: tuple[int, int]) -> str:
    """Return one sentence that says in which part of the array the wrong elements are."""
    rows, columns = grid
    cells = [at for at, count in enumerate(counts) if count]
    if not cells:
        return "No element is wrong."
    share = sum(counts) / math.prod(shape)
    among = "All elements are wrong" if share == 1 else f"{sum(counts):,} of {math.prod(shape):,} are wrong"
    across = _range([at % columns for at in cells], shape[1], columns)
    if rows == 1:
        return f"{among}, from element {across}."
    down = _range([at // columns for at in cells], shape[0], rows)
    return f"{among}, in rows {down}, columns {across}."


def _range(cells: Sequence[int], extent: int, parts: int) -> str:
    return f"{_begin(min(cells), extent, parts):,} to {_begin(max(cells) + 1, extent, parts) - 1:,}"


def _begin(cell: int, extent: int, parts: int) -> int:
    """Return the first element of a cell: the least `i` with `i * parts // extent == cell`."""
    return -(-cell * extent // parts)


def _size(at: int, grid: tuple[int, int], shape: tuple[int, int]) -> int:
    sizes = [
        _begin(cell + 1, extent, parts) - _begin(cell, extent, parts)
        for cell, extent, parts in zip(divmod(at, grid[1]), shape, grid, strict=True)
    ]
    return math.prod(sizes)


def _place(at: int, grid: tuple[int, int], shape: tuple[int, int]) -> str:
    row, column = divmod(at, grid[1])
    across = _range([column], shape[1], grid[1])
    if grid[0] == 1:
        return f"Elements {across}"
    return f"Rows {_range([row], shape[0], grid[0])}, columns {across}"


def _level(count: int, size: int) -> int:
    """Return the shade of a cell: 0 without wrong elements, _LEVELS if all are wrong."""
    return math.ceil(_LEVELS * count / max(1, size))
