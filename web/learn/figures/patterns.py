"""The figures of the patterns."""

from collections.abc import Mapping

from web.learn.drawing import CELL, Drawing, arrow, box, cells, curve, line, text

_ELEMENTWISE = Drawing(
    124,
    "One thread per element, and no arrow crosses another.",
    "Two rows of eight cells, the inputs and the outputs. One arrow leads from each input straight down to "
    "the output with the same index.",
    (
        text(56, 32, "x", at="end", tone="strong"),
        cells(68, 14, "0 1 2 3 4 5 6 7", "in"),
        *(arrow(82 + CELL * i, 45, 82 + CELL * i, 83) for i in range(8)),
        text(56, 104, "y", at="end", tone="strong"),
        cells(68, 86, "0 1 2 3 4 5 6 7", "out"),
    ),
)

_IMAGE = Drawing(
    150,
    "The pixel in row 1 and column 2 of an image with 4 columns is number 1 \N{MULTIPLICATION SIGN} 4 + 2 = "
    "6.",
    "An image with three rows and four columns. Its pixels are numbered from 0 to 11, row after row. Pixel "
    "6, in row 1 and column 2, is marked. Below, pixel 6 is shown as three numbers next to each other: red, "
    "green and blue, at indices 18, 19 and 20.",
    (
        cells(20, 20, "0 1 2 3", "quiet"),
        cells(20, 48, "4 5 6 7", "quiet"),
        cells(20, 76, "8 9 10 11", "quiet"),
        cells(76, 48, "6", "out"),
        text(76, 13, "columns: x"),
        text(140, 66, "row 1", at="start"),
        arrow(182, 62, 204, 62, "strong"),
        cells(212, 48, "r g b", "in", width=44),
        text(234, 92, "18"),
        text(278, 92, "19"),
        text(322, 92, "20"),
        text(
            20,
            138,
            "3 \N{MULTIPLICATION SIGN} (row \N{MULTIPLICATION SIGN} cols + col) + channel",
            at="start",
            tone="strong",
        ),
    ),
)

_ACTIVATION = Drawing(
    150,
    "Two activations: ReLU is 0 for negative numbers, the sigmoid stays between 0 and 1.",
    "A coordinate system with two curves. ReLU is zero up to the origin and then rises as a straight line. "
    "The sigmoid rises smoothly from 0 on the left to 1 on the right.",
    (
        line(30, 112, 330, 112),
        line(180, 10, 180, 130),
        curve(((30, 112), (180, 112), (272, 20)), "strong"),
        curve(
            (
                *((30, 110), (70, 108), (105, 104), (130, 98), (150, 92), (165, 86), (180, 80), (195, 74)),
                *((210, 68), (230, 62), (255, 56), (290, 52), (330, 50)),
            ),
            "signal",
        ),
        text(280, 24, "ReLU", at="start", tone="strong"),
        text(318, 42, "sigmoid", tone="strong"),
        text(188, 128, "0", at="start"),
        text(336, 116, "x", at="start"),
    ),
)

_MATRIX = Drawing(
    152,
    "Row-major order: the rows follow each other in memory.",
    "A matrix with three rows and four columns, whose elements are numbered 0 to 11 row by row. Below it, "
    "the same numbers form one line of memory. The middle row, elements 4 to 7, is marked in both.",
    (
        cells(124, 4, "0 1 2 3", "quiet"),
        cells(124, 32, "4 5 6 7", "in"),
        cells(124, 60, "8 9 10 11", "quiet"),
        text(116, 22, "row 0", at="end"),
        text(116, 50, "row 1", at="end"),
        text(116, 78, "row 2", at="end"),
        arrow(180, 91, 180, 111, "strong"),
        cells(12, 114, "0 1 2 3", "quiet"),
        cells(124, 114, "4 5 6 7", "in"),
        cells(236, 114, "8 9 10 11", "quiet"),
    ),
)

_STENCIL = Drawing(
    136,
    "Each output needs its neighbours. The block also loads the halo, one element on each side.",
    "Eight input cells above six output cells. The output in the middle has arrows from three inputs: the "
    "one above it and its two neighbours. The first and the last input are marked as the halo.",
    (
        text(82, 14, "halo"),
        text(278, 14, "halo"),
        cells(68, 20, "0 1 2 3 4 5 6 7", "in"),
        cells(68, 20, "0", "quiet"),
        cells(264, 20, "7", "quiet"),
        *(arrow(166 + CELL * d, 51, 194, 91, "strong") for d in range(3)),
        cells(96, 94, "1 2 3 4 5 6", "quiet"),
        cells(180, 94, "4", "out"),
        text(60, 38, "input", at="end"),
        text(88, 112, "output", at="end"),
    ),
)

_REDUCTION = Drawing(
    168,
    "A tree adds eight values in three steps.",
    "Eight cells with the numbers 3, 1, 4, 1, 5, 9, 2, 6. In the first step pairs become 4, 5, 14, 8. In the "
    "second step these become 9 and 22. The third step gives 31.",
    (
        cells(68, 4, "3 1 4 1 5 9 2 6", "in"),
        *(
            mark
            for i, value in enumerate(("4", "5", "14", "8"))
            for mark in (
                arrow(82 + 56 * i, 34, 94 + 56 * i, 47),
                arrow(110 + 56 * i, 34, 98 + 56 * i, 47),
                cells(82 + 56 * i, 50, value, "quiet"),
            )
        ),
        *(
            mark
            for i, value in enumerate(("9", "22"))
            for mark in (
                arrow(96 + 112 * i, 79, 120 + 112 * i, 93),
                arrow(152 + 112 * i, 79, 128 + 112 * i, 93),
                cells(110 + 112 * i, 96, value, "quiet"),
            )
        ),
        arrow(124, 125, 176, 137),
        arrow(236, 125, 184, 137),
        cells(166, 139, "31", "out"),
        *(text(56, y, f"step {n}", at="end") for n, y in ((1, 68), (2, 114), (3, 157))),
    ),
)

_SCAN = Drawing(
    170,
    "Each step adds the element 1, then 2, then 4 positions to the left.",
    "Four rows of eight cells. The first row holds eight ones. After the step with distance 1 the row is 1, "
    "2, 2, 2, 2, 2, 2, 2. After distance 2 it is 1, 2, 3, 4, 4, 4, 4, 4. After distance 4 it is 1 to 8.",
    (
        cells(100, 4, "1 1 1 1 1 1 1 1", "in"),
        cells(100, 50, "1 2 2 2 2 2 2 2", "quiet"),
        cells(100, 94, "1 2 3 4 4 4 4 4", "quiet"),
        cells(100, 138, "1 2 3 4 5 6 7 8", "out"),
        *(arrow(114 + CELL * i, 33, 138 + CELL * i, 48) for i in range(7)),
        *(arrow(114 + CELL * i, 79, 166 + CELL * i, 92) for i in range(6)),
        *(arrow(114 + CELL * i, 123, 222 + CELL * i, 136) for i in range(4)),
        text(90, 68, "distance 1", at="end"),
        text(90, 112, "distance 2", at="end"),
        text(90, 156, "distance 4", at="end"),
    ),
)

_DATA_REUSE = Drawing(
    138,
    "Without reuse, every thread loads the same element. With a tile, the block loads it once.",
    "On the left, four threads each have an arrow from device memory. On the right, one arrow leads from "
    "device memory to a tile in shared memory, and four short arrows lead from the tile to the threads.",
    (
        box(12, 4, 150, 30, "device memory", "quiet"),
        *(arrow(40 + 30 * i, 36, 40 + 30 * i, 101, "bad") for i in range(4)),
        cells(25, 104, "0 1 2 3", "in", width=30),
        box(198, 4, 150, 30, "device memory", "quiet"),
        arrow(273, 36, 273, 54, "strong"),
        box(218, 57, 110, 24, "shared tile", "out"),
        *(arrow(228 + 30 * i, 83, 228 + 30 * i, 101) for i in range(4)),
        cells(213, 104, "0 1 2 3", "in", width=30),
    ),
)

_RANDOM_NUMBERS = Drawing(
    180,
    "Left: each number needs the state after the one before. Right: each thread computes its own number.",
    "On the left, four states form a chain from top to bottom, and each yields one number. On the right, the "
    "counters 0 to 3 lead into a function with the key, and each gives one number without the others.",
    (
        text(84, 14, "state", tone="strong"),
        *(cells(30, 24 + 40 * i, f"s{i}", "quiet", width=40) for i in range(4)),
        *(arrow(50, 53 + 40 * i, 50, 63 + 40 * i, "bad") for i in range(3)),
        *(arrow(72, 38 + 40 * i, 101, 38 + 40 * i) for i in range(4)),
        *(cells(104, 24 + 40 * i, f"u{i}", "out", width=34) for i in range(4)),
        text(266, 14, "counter and key", tone="strong"),
        *(cells(188, 24 + 40 * i, str(i), "in") for i in range(4)),
        *(arrow(218, 38 + 40 * i, 235, 38 + 40 * i) for i in range(4)),
        box(238, 24, 58, 148, "f(i, key)"),
        *(arrow(298, 38 + 40 * i, 313, 38 + 40 * i) for i in range(4)),
        *(cells(316, 24 + 40 * i, f"u{i}", "out", width=34) for i in range(4)),
    ),
)

_LIBRARIES = Drawing(
    150,
    "The caller decides which level it needs: the whole device, a block, or a warp.",
    "Three rows. Host code calls Thrust, or an algorithm of CUB for the device, for a whole array. A kernel "
    "calls the parts of CUB for a block. A kernel calls cooperative groups or CUB for a warp or a tile.",
    (
        text(84, 14, "who calls", tone="strong"),
        text(266, 14, "what works together", tone="strong"),
        *(
            mark
            for i, (caller, library, group) in enumerate(
                (
                    ("host code", "Thrust, CUB", "the whole device"),
                    ("kernel", "CUB", "a block"),
                    ("kernel", "CUB, cooperative groups", "a warp or a tile"),
                )
            )
            for mark in (
                box(12, 24 + 42 * i, 144, 34, "", "in"),
                text(84, 38 + 42 * i, caller, tone="strong"),
                text(84, 52 + 42 * i, library),
                arrow(158, 41 + 42 * i, 193, 41 + 42 * i),
                box(196, 24 + 42 * i, 140, 34, "", "out"),
                text(266, 45 + 42 * i, group),
            )
        ),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "elementwise": _ELEMENTWISE,
    "image": _IMAGE,
    "activation": _ACTIVATION,
    "matrix": _MATRIX,
    "stencil": _STENCIL,
    "reduction": _REDUCTION,
    "scan": _SCAN,
    "data-reuse": _DATA_REUSE,
    "random-numbers": _RANDOM_NUMBERS,
    "libraries": _LIBRARIES,
}
