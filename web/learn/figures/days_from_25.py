"""The figures of the readings of days 25 to 32."""

from collections.abc import Mapping
from math import cos, pi

from django.utils.safestring import SafeString

from web.learn.drawing import CELL, Drawing, arrow, box, cells, curve, line, text

_HISTOGRAM = Drawing(
    138,
    "Eight lanes hold three different values. If equal lanes combine, three updates remain.",
    "A row of eight lanes with the values 4, 4, 7, 4, 9, 9, 9 and 9. Arrows lead from the lanes to three "
    "counters: 3 is added to counter 4, 1 to counter 7 and 4 to counter 9.",
    (
        text(58, 22, "lanes", at="end"),
        cells(68, 4, "4 4 7 4 9 9 9 9", "in"),
        *(arrow(82 + CELL * i, 34, 100, 71) for i in (0, 1, 3)),
        arrow(138, 34, 180, 71, "strong"),
        *(arrow(82 + CELL * i, 34, 262, 71) for i in (4, 5, 6, 7)),
        *(
            mark
            for x, name, more in ((100, "4", "+3"), (180, "7", "+1"), (262, "9", "+4"))
            for mark in (cells(x - 20, 74, more, "out", width=40), text(x, 120, f"counter {name}"))
        ),
    ),
)

_SUM_BY_KEY = Drawing(
    168,
    "Sorting by key brings equal keys together. Each value moves with its key.",
    "Above, the keys 5, 5, 2, 5, 2, 2 with the values a to f. Below, after sorting, the keys are 2, 2, 2, "
    "5, 5, 5 and the values c, e, f, a, b, d. The first three pairs form one run, the last three another.",
    (
        text(88, 22, "keys", at="end"),
        cells(96, 4, "5 5 2 5 2 2", "in"),
        text(88, 50, "values", at="end"),
        cells(96, 32, "a b c d e f", "quiet"),
        *(arrow(110 + CELL * i, 62, 110 + CELL * to, 87) for i, to in enumerate((3, 4, 0, 5, 1, 2))),
        text(88, 108, "keys", at="end"),
        cells(96, 90, "2 2 2", "out"),
        cells(180, 90, "5 5 5", "in"),
        text(88, 136, "values", at="end"),
        cells(96, 118, "c e f a b d", "quiet"),
        text(138, 162, "a run"),
        text(222, 162, "a run"),
    ),
)

_SOBEL = Drawing(
    178,
    "A block computes 4 \N{MULTIPLICATION SIGN} 4 results. With a radius of 1 it "
    "loads 6 \N{MULTIPLICATION SIGN} 6 pixels: 36 for 16.",
    "A square of six by six pixels. The inner four by four pixels are the results of the block, and the "
    "border around them is the halo. A window of three by three pixels is marked around one result at the "
    "edge of the block.",
    (
        *(cells(20, 4 + 28 * r, "- - - - - -", "quiet") for r in range(6)),
        *(cells(48, 32 + 28 * r, "- - - -", "out") for r in range(4)),
        *(cells(104, 60 + 28 * r, "- - -", "in") for r in range(3)),
        cells(132, 88, "y", "in"),
        arrow(230, 18, 192, 18),
        text(236, 22, "halo", at="start"),
        arrow(230, 50, 160, 46),
        text(236, 54, "results", at="start"),
        arrow(230, 102, 192, 102),
        text(236, 100, "window of", at="start"),
        text(236, 116, "result y", at="start"),
    ),
)

_THIRDS = (("a b c d", "in"), ("e f g h", "out"), ("i j k l", "quiet"))

_LAYOUT = Drawing(
    206,
    "Twelve numbers in memory. Read by rows, they are a 3 \N{MULTIPLICATION SIGN} 4 matrix. Read by "
    "columns, they are its transpose.",
    "At the top, the letters a to l in a row of memory. Left, read by rows, they form the three rows a b c "
    "d, e f g h and i j k l. Right, read by columns, they form the three columns a b c d, e f g h and i j k "
    "l, so the four rows are a e i, b f j, c g k and d h l.",
    (
        *(cells(12 + 4 * CELL * third, 4, words, tone) for third, (words, tone) in enumerate(_THIRDS)),
        arrow(110, 36, 90, 58),
        arrow(238, 36, 258, 58),
        text(84, 78, "by rows", tone="strong"),
        *(cells(28, 88 + CELL * row, words, tone) for row, (words, tone) in enumerate(_THIRDS)),
        text(264, 78, "by columns", tone="strong"),
        *(
            cells(222 + CELL * column, 88 + CELL * row, word, tone)
            for column, (words, tone) in enumerate(_THIRDS)
            for row, word in enumerate(words.split())
        ),
    ),
)


def _wave(samples: int) -> list[tuple[float, float]]:
    """Return points of cos(t) + cos(3t) / 2 over one period."""
    turns = [place / samples for place in range(samples + 1)]
    return [(20 + 136 * turn, 76 - 34 * (cos(2 * pi * turn) + 0.5 * cos(6 * pi * turn))) for turn in turns]


_SPECTRUM = Drawing(
    168,
    "Eight real samples and their power spectrum. Five numbers are enough: those for 5 to 7 repeat 3 to 1.",
    "Left, eight samples of the sum of a cosine with one period and half a cosine with three periods. "
    "Right, a bar chart of the power for 0 to 4 periods. The bar for 1 is 16, the bar for 3 is 4, and the "
    "others are 0.",
    (
        text(88, 16, "samples", tone="strong"),
        line(14, 76, 162, 76),
        curve(_wave(96)),
        *(box(x - 3, y - 3, 6, 6, "", "in") for x, y in _wave(8)[:8]),
        arrow(170, 76, 188, 76, "strong"),
        text(274, 16, "power", tone="strong"),
        line(200, 134, 348, 134),
        *(
            mark
            for k, power in enumerate((0, 16, 0, 4, 0))
            for mark in (
                *((box(206 + 28 * k, 134 - 6 * power, 20, 6 * power, "", "out"),) if power else ()),
                text(216 + 28 * k, 129 - 6 * power, str(power)),
                text(216 + 28 * k, 149, str(k)),
            )
        ),
        text(274, 165, "periods"),
    ),
)


def _chunk(k: int, start: float, y: float, tone: str) -> tuple[SafeString, ...]:
    return (box(start, y, 50, 24, "", tone), text(start + 25, y + 17, str(k)))


_TRIPLE = Drawing(
    168,
    "The numbers are those of the chunks. The host may fill buffer 0 with chunk 3 once chunk 0 is copied.",
    "Three rows over time, for the host, the link and the GPU. The host fills buffers with the chunks 0 to "
    "4, one after the other. The link copies each chunk one step later, and the GPU uses it two steps "
    "later. An arrow leads from the copy of chunk 0 to the filling with chunk 3.",
    (
        *(text(52, 29 + 44 * i, name, at="end") for i, name in enumerate(("host", "link", "GPU"))),
        *(
            mark
            for stage in range(3)
            for k in range(5 - stage)
            for mark in _chunk(k, 60 + 58 * (k + stage), 12 + 44 * stage, ("in", "out", "quiet")[k % 3])
        ),
        arrow(164, 54, 232, 38, "bad"),
        *(
            mark
            for i, tone in enumerate(("in", "out", "quiet"))
            for mark in (
                box(62 + 98 * i, 142, 18, 18, "", tone),
                text(86 + 98 * i, 155, f"buffer {i}", at="start"),
            )
        ),
    ),
)


def _part(x: float, i: int, tone: str) -> SafeString:
    return box(x, 24 + 22 * i, 40, 22, "", tone) + text(x + 20, 39 + 22 * i, str(i))


_STAGING = Drawing(
    160,
    "Staging: the CPU fills one pinned buffer while the copy engine empties the other.",
    "Left, a pageable array of six parts. The CPU copies part 3 to pinned buffer B. At the same time, the "
    "copy engine transfers part 2 from pinned buffer A to an array on the device, in which the parts 0 "
    "and 1 are complete.",
    (
        text(44, 16, "pageable", tone="strong"),
        *(_part(24, i, "quiet" if i < 3 else "in") for i in range(6)),
        text(180, 16, "pinned", tone="strong"),
        text(142, 55, "A", at="end"),
        cells(150, 36, "2", "out", width=60),
        text(142, 119, "B", at="end"),
        cells(150, 100, "3", "in", width=60),
        arrow(68, 102, 126, 113, "strong"),
        text(98, 132, "CPU"),
        text(316, 16, "device", tone="strong"),
        *(_part(296, i, "out" if i < 2 else "quiet") for i in range(6)),
        arrow(214, 52, 292, 78, "strong"),
        text(254, 46, "copy engine"),
    ),
)

_WMMA = Drawing(
    164,
    "A result of 40 \N{MULTIPLICATION SIGN} 24 elements in tiles of 16 \N{MULTIPLICATION SIGN} 16. The "
    "dashed parts of the tiles have no element.",
    "Six tiles in three columns and two rows cover 48 by 32 elements. The matrix has 40 columns and 24 "
    "rows. A strip of eight columns on the right and a strip of eight rows at the bottom lie outside.",
    (
        box(70, 20, 192, 128, "", "bad"),
        box(70, 20, 160, 96, "", "out"),
        line(134, 20, 134, 148),
        line(198, 20, 198, 148),
        line(70, 84, 262, 84),
        text(102, 56, "tile 0"),
        text(166, 56, "tile 1"),
        text(214, 56, "tile 2"),
        text(102, 104, "tile 3"),
        text(166, 104, "tile 4"),
        text(214, 104, "tile 5"),
        text(150, 14, "40 columns"),
        text(64, 66, "24 rows", at="end"),
        arrow(286, 66, 248, 66),
        text(292, 64, "load 0,", at="start"),
        text(292, 80, "store", at="start"),
        text(292, 96, "nothing", at="start"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "histogram": _HISTOGRAM,
    "sobel-edges": _SOBEL,
    "call-cublas": _LAYOUT,
    "power-spectrum": _SPECTRUM,
    "sum-by-key": _SUM_BY_KEY,
    "triple-buffer": _TRIPLE,
    "pinned-staging": _STAGING,
    "wmma-gemm": _WMMA,
}
