"""The figures of the readings of days 61 to 67."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import CELL, Drawing, arrow, box, cells, curve, line, text

_MINUS = "\N{MINUS SIGN}"

_PRUNE = Drawing(
    158,
    "The search for the sixth largest key. Its first digit is 5, because the sum of the counts reaches 6 "
    "there.",
    "Three rows of four cells. The first digits 7, 6, 5 and 4 occur 1, 3, 4 and 6 times. Summed from the "
    "left, the counts are 1, 4, 8 and 14. The sum reaches 6 at digit 5, so the next round looks at these "
    "four keys for the second largest.",
    (
        text(116, 27, "first digit", at="end"),
        cells(126, 10, "7 6 5 4", "quiet", width=44),
        text(116, 63, "count", at="end"),
        cells(126, 46, "1 3 4 6", "in", width=44),
        text(116, 99, "sum from the left", at="end"),
        cells(126, 82, "1 4 8 14", "quiet", width=44),
        cells(214, 82, "8", "out", width=44),
        arrow(236, 113, 236, 131, "strong"),
        text(236, 147, "next round: rank 6 \N{MINUS SIGN} 4 = 2 of these four"),
    ),
)

_TWO_OF_FOUR = Drawing(
    176,
    "Eight weights become four values and four positions of two bits each, which share a byte.",
    "A row of eight weights in two groups: 0.5, minus 3, 2, 1 and 4, 0, 0, minus 1. Below, the kept values "
    "minus 3, 2, 4, minus 1. Below these, their positions 1, 2, 0, 3 within the groups. The byte, with the "
    "first position in the lowest bits, is 11 00 10 01 in binary, which is 201.",
    (
        text(64, 27, "weights", at="end"),
        cells(72, 10, f"0.5 {_MINUS}3 2 1", "quiet", width=34),
        cells(106, 10, f"{_MINUS}3 2", "in", width=34),
        cells(212, 10, f"4 0 0 {_MINUS}1", "quiet", width=34),
        cells(212, 10, "4", "out", width=34),
        cells(314, 10, f"{_MINUS}1", "out", width=34),
        arrow(123, 41, 123, 59),
        arrow(157, 41, 157, 59),
        arrow(229, 41, 229, 59),
        arrow(331, 41, 267, 61),
        text(64, 79, "values", at="end"),
        cells(106, 62, f"{_MINUS}3 2", "in", width=34),
        cells(212, 62, f"4 {_MINUS}1", "out", width=34),
        text(64, 117, "positions", at="end"),
        cells(106, 100, "1 2", "in", width=34),
        cells(212, 100, "0 3", "out", width=34),
        text(64, 157, "byte", at="end"),
        cells(106, 140, "11 00", "out", width=34),
        cells(174, 140, "10 01", "in", width=34),
        text(252, 157, "= 201", at="start"),
    ),
)


def _share(x: float, parts: tuple[float, ...], tone: str) -> tuple[SafeString, ...]:
    return tuple(
        mark
        for place, part in enumerate(parts)
        for mark in (
            box(x + 46 * place, 118 - 92 * part, 34, 92 * part, "", tone),
            text(x + 46 * place + 17, 112 - 92 * part, f"{part:.2f}"),
        )
    )


_DISTILLATION = Drawing(
    156,
    "The softmax of the logits 4, 2 and 0. A temperature of 4 shows how the other classes differ.",
    "Two bar charts with three bars each. With the temperature 1, the bars are 0.87, 0.12 and 0.02. With "
    "the temperature 4, they are 0.51, 0.31 and 0.19.",
    (
        line(16, 118, 164, 118),
        line(196, 118, 344, 118),
        *_share(26, (0.87, 0.12, 0.02), "in"),
        *_share(206, (0.51, 0.31, 0.19), "out"),
        *(text(43 + 180 * half + 46 * i, 132, word) for half in range(2) for i, word in enumerate("420")),
        text(89, 150, "T = 1", tone="strong"),
        text(269, 150, "T = 4", tone="strong"),
    ),
)

_OUTLIERS = Drawing(
    158,
    "The product is split by columns: a few columns stay in float16, and all others become 8-bit integers.",
    "Left, a matrix of activations with three rows and five columns. Column 2 has values of about 60, all "
    "others of about 1. Right, two boxes: four columns go to an 8-bit product, and the outlier column goes "
    "to a float16 product. Their results are added.",
    (
        text(82, 16, "activations", tone="strong"),
        cells(12, 24, f"1.1 {_MINUS}2 60 0.5 1", "quiet"),
        cells(12, 52, f"0.3 1 {_MINUS}52 {_MINUS}1 2", "quiet"),
        cells(12, 80, f"{_MINUS}1 0.2 71 2 0.7", "quiet"),
        *(cells(68, 24 + CELL * i, word, "bad") for i, word in enumerate(("60", f"{_MINUS}52", "71"))),
        arrow(156, 50, 192, 40, "strong"),
        arrow(82, 112, 192, 130, "bad"),
        box(196, 20, 150, 42, "", "in"),
        text(271, 37, "8-bit product"),
        text(271, 54, "4 columns"),
        box(196, 108, 150, 42, "", "out"),
        text(271, 125, "float16 product"),
        text(271, 142, "1 column"),
        text(271, 90, "+", tone="strong"),
    ),
)


def _ticks(y: float, step: float, reach: int) -> tuple[SafeString, ...]:
    return tuple(line(180 + step * i, y - 5, 180 + step * i, y + 5) for i in range(-reach, reach + 1))


_CALIBRATION = Drawing(
    150,
    "Seven codes for the same values. The full range has wide steps, and the clipped range has narrow ones.",
    "Two number lines with the same values: most lie near 0, and one lies far to the right. On the first "
    "line, seven marks reach from the far left to the outlier. On the second, the seven marks stay near 0, "
    "and the outlier is clipped to the last mark.",
    (
        text(12, 18, "range: nothing is clipped", at="start", tone="strong"),
        line(20, 44, 340, 44),
        *_ticks(44, 50, 3),
        *(box(x - 3, 30, 6, 6, "", "in") for x in (140, 152, 163, 171, 178, 187, 196, 204, 216, 330)),
        text(12, 92, "clipped: finer steps", at="start", tone="strong"),
        line(20, 118, 340, 118),
        *_ticks(118, 15, 3),
        *(box(x - 3, 104, 6, 6, "", "in") for x in (140, 152, 163, 171, 178, 187, 196, 204, 216)),
        box(327, 104, 6, 6, "", "bad"),
        arrow(322, 107, 230, 107, "bad"),
        text(278, 98, "clipping error", tone="bad"),
        text(180, 142, "0"),
    ),
)


def _stairs() -> tuple[tuple[float, float], ...]:
    points: list[tuple[float, float]] = [(16, 112), (56, 112)]
    for step in range(5):
        x, y = 56 + 20 * step, 112 - 20 * step
        points += [(x, y), (x, y - 20)] if step else [(x, y - 20)]
        points.append((x + 20, y - 20))
    return (*points, (176, 12))


_FAKE_QUANT = Drawing(
    156,
    "Forward, a staircase with clipped ends. Backward, the derivative of the line: 1 inside the range, 0 "
    "outside.",
    "Left, a staircase that rises from the lower left to the upper right, with a flat piece at each end. A "
    "straight line runs through it. Right, a function that is 0, then 1 over the range of the staircase, "
    "then 0 again.",
    (
        curve(_stairs(), "strong"),
        curve(((16, 112), (46, 112), (146, 12), (176, 12)), "signal"),
        text(96, 146, "y, forward", tone="strong"),
        line(16, 122, 176, 122),
        curve(((200, 112), (236, 112), (236, 40), (312, 40), (312, 112), (346, 112)), "signal"),
        line(200, 122, 346, 122),
        text(274, 32, "1"),
        text(216, 104, "0"),
        text(330, 104, "0"),
        text(273, 146, "dy / dx, backward", tone="strong"),
    ),
)

_STUDENT = Drawing(
    168,
    "The teacher runs once, and its logits are stored. The student reads them in every epoch.",
    "Above, marked once: an arrow leads from the data to the teacher, and another from there to the stored "
    "logits. Below, marked each step: an arrow leads from the data to the student, and another from there "
    "to the loss. The stored logits also lead to the loss.",
    (
        text(12, 18, "once", at="start", tone="strong"),
        text(12, 158, "each step", at="start", tone="strong"),
        box(12, 62, 66, 44, "", "quiet"),
        text(45, 88, "data"),
        box(124, 18, 86, 54, "", "in"),
        text(167, 42, "teacher", tone="strong"),
        text(167, 59, "large"),
        box(256, 18, 92, 54, "", "quiet"),
        text(302, 42, "logits"),
        text(302, 59, "in a file"),
        box(124, 106, 86, 34, "", "out"),
        text(167, 127, "student", tone="strong"),
        box(256, 106, 92, 34, "", ""),
        text(302, 127, "loss"),
        arrow(82, 74, 120, 52),
        arrow(214, 45, 252, 45),
        arrow(82, 94, 120, 116, "strong"),
        arrow(214, 123, 252, 123, "strong"),
        arrow(302, 76, 302, 102, "strong"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "magnitude-prune": _PRUNE,
    "two-of-four": _TWO_OF_FOUR,
    "distil-student": _STUDENT,
    "distillation-loss": _DISTILLATION,
    "int8-outliers": _OUTLIERS,
    "calibrate-scale": _CALIBRATION,
    "fake-quant": _FAKE_QUANT,
}
