"""The figures of the readings of days 1 to 20."""

from collections.abc import Mapping

from web.learn.drawing import CELL, Drawing, arrow, box, cells, text

_VECTOR_ADD = Drawing(
    132,
    "Ten elements and blocks of four threads: the last two threads have no element.",
    "Three blocks of four threads each. Below them, ten cells with the indices 0 to 9. Each of the first ten "
    "threads points to the cell with its index. The last two threads of block 2 point to no cell.",
    (
        *(box(12 + 114 * block, 20, 108, 44, "", "quiet") for block in range(3)),
        *(text(66 + 114 * block, 14, f"block {block}") for block in range(3)),
        *(cells(15 + 114 * block, 28, "0 1 2 3", "in", width=25.5) for block in range(2)),
        cells(243, 28, "0 1 !2 !3", "in", width=25.5),
        *(arrow(27.75 + 114 * (i // 4) + 25.5 * (i % 4), 60, 54 + CELL * i, 91) for i in range(10)),
        cells(40, 94, "0 1 2 3 4 5 6 7 8 9", "out"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "vector-add": _VECTOR_ADD,
}
