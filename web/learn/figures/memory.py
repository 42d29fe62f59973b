"""The figures about memory."""

from collections.abc import Mapping

from web.learn.drawing import CELL, Drawing, arrow, box, cells, line, text

_COALESCING = Drawing(
    166,
    "Neighbours use whole sectors. A stride of 4 fetches four times as many bytes.",
    "Two drawings of four threads above memory in sectors of four elements. In the first, the threads read "
    "elements 0 to 3, which are one sector. In the second, they read elements 0, 4, 8 and 12, each in a "
    "sector of its own.",
    (
        text(20, 14, "neighbours: 1 sector", at="start", tone="strong"),
        *(arrow(30 + 20 * i, 22, 30 + 20 * i, 44) for i in range(4)),
        cells(20, 47, "0 1 2 3", "out", width=20),
        cells(100, 47, "4 5 6 7 8 9 10 11 12 13 14 15", "quiet", width=20),
        *(line(20 + 80 * i, 43, 20 + 80 * i, 79, "strong") for i in range(5)),
        text(20, 102, "stride 4: 4 sectors", at="start", tone="strong"),
        *(arrow(30 + 20 * i, 108, 30 + 80 * i, 130, "bad") for i in range(4)),
        cells(20, 133, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", "quiet", width=20),
        *(cells(20 + 80 * i, 133, str(4 * i), "out", width=20) for i in range(4)),
        *(line(20 + 80 * i, 129, 20 + 80 * i, 165, "strong") for i in range(5)),
    ),
)

_SHARED = Drawing(
    148,
    "Each block has its own shared memory. Device memory is for all.",
    "Two blocks, each with four threads and a box of shared memory below the threads. Both are connected "
    "with one wide box at the bottom, device memory.",
    (
        *(
            mark
            for i in range(2)
            for mark in (
                box(12 + 176 * i, 4, 160, 96, f"Block {i}"),
                cells(32 + 176 * i, 26, "0 1 2 3", "in", width=30),
                *(arrow(47 + 176 * i + 30 * t, 55, 47 + 176 * i + 30 * t, 67) for t in range(4)),
                box(24 + 176 * i, 69, 136, 25, "shared memory", "out"),
                arrow(92 + 176 * i, 102, 92 + 176 * i, 114),
            )
        ),
        box(12, 117, 336, 27, "device memory", "quiet"),
    ),
)

_CONSTANT = Drawing(
    132,
    "The same address: one access for the whole warp. Different addresses: one after the other.",
    "On the left, four threads all point to one cell of a table. On the right, four threads point to four "
    "different cells, marked as one access each.",
    (
        text(88, 14, "1 access", tone="strong"),
        cells(32, 24, "0 1 2 3", "in"),
        *(arrow(46 + CELL * i, 54, 74, 88) for i in range(4)),
        cells(32, 91, "w0 w1 w2 w3", "quiet"),
        cells(60, 91, "w1", "out"),
        text(272, 14, "4 accesses", tone="strong"),
        cells(216, 24, "0 1 2 3", "in"),
        *(arrow(230 + CELL * i, 54, 230 + CELL * i, 88, "bad") for i in range(4)),
        cells(216, 91, "w0 w1 w2 w3", "quiet"),
    ),
)

_REGISTER = Drawing(
    152,
    "Eight loaded values serve sixteen multiplications.",
    "A square of four by four outputs, which one thread computes. Four values of a column of A are on its "
    "left, four values of a row of B above it. Each output needs one value from the left and one from above.",
    (
        cells(124, 4, "b0 b1 b2 b3", "in"),
        *(cells(88, 38 + CELL * i, f"a{i}", "in") for i in range(4)),
        *(cells(124, 38 + CELL * i, "- - - -", "quiet") for i in range(4)),
        cells(180, 66, "a1b2", "out"),
        text(250, 70, "one thread,", at="start"),
        text(250, 86, "16 registers", at="start"),
        text(250, 102, "for sums", at="start"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "coalescing": _COALESCING,
    "shared-memory": _SHARED,
    "constant-memory": _CONSTANT,
    "register-tiling": _REGISTER,
}
