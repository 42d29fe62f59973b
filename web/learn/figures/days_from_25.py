"""The figures of the readings of days 25 to 32."""

from collections.abc import Mapping

from web.learn.drawing import CELL, Drawing, arrow, cells, text

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

FIGURES: Mapping[str, Drawing] = {
    "histogram": _HISTOGRAM,
    "sobel-edges": _SOBEL,
    "sum-by-key": _SUM_BY_KEY,
}
