"""The figures of the readings of days 41 to 49."""

from collections.abc import Mapping
from math import erf, exp, pi, sqrt

from web.learn.drawing import CELL, Drawing, arrow, box, cells, curve, line, text

_MINUS = "\N{MINUS SIGN}"
_TIMES = "\N{MULTIPLICATION SIGN}"


_DISPATCHER = Drawing(
    166,
    "The dispatcher finds the operator by its name, and its implementation by the device of the tensor.",
    "Left, the call torch.ops.demo.halve(x). An arrow leads to the dispatcher, which has the schema halve, "
    "Tensor x to Tensor. From there, an arrow marked CPU leads to halve_cpu, an arrow marked CUDA to "
    "halve_cuda, and an arrow marked Meta to an error, because nothing is registered for it.",
    (
        box(4, 62, 92, 42, "", "quiet"),
        text(50, 80, "torch.ops"),
        text(50, 96, ".demo.halve(x)"),
        arrow(99, 83, 113, 83, "strong"),
        box(117, 44, 104, 78, "", "in"),
        text(169, 66, "dispatcher", tone="strong"),
        text(169, 88, "halve(Tensor x)"),
        text(169, 106, f"{_MINUS}> Tensor"),
        *(
            mark
            for y, key, name, tone in (
                (6, "CPU", "halve_cpu", "out"),
                (60, "CUDA", "halve_cuda", "out"),
                (114, "Meta", "error", "bad"),
            )
            for mark in (
                arrow(224, 83, 262, y + 23, "" if tone == "out" else "bad"),
                box(266, y, 90, 46, "", tone),
                text(311, y + 19, key, tone="strong"),
                text(311, y + 36, name),
            )
        ),
    ),
)

_STRIDES = Drawing(
    160,
    "Six numbers in memory, as a matrix with the strides (3, 1) and as its transpose with the strides (1, "
    "3).",
    "At the top, the memory with the cells a to f. Below left, a matrix with the rows a, b, c and d, e, f. "
    "Below right, its transpose with the rows a, d and b, e and c, f. Both use the same memory.",
    (
        text(86, 27, "memory", at="end"),
        cells(96, 10, "a b c d e f", "quiet"),
        arrow(150, 42, 96, 66),
        arrow(210, 42, 264, 66),
        cells(40, 86, "a b c", "in"),
        cells(40, 114, "d e f", "in"),
        text(82, 80, "strides (3, 1)", tone="strong"),
        cells(236, 74, "a d", "out"),
        cells(236, 102, "b e", "out"),
        cells(236, 130, "c f", "out"),
        text(224, 92, "strides", at="end", tone="strong"),
        text(224, 108, "(1, 3)", at="end", tone="strong"),
    ),
)


def _gelu(x: float) -> float:
    return x * (1 + erf(x / sqrt(2))) / 2


def _gelu_slope(x: float) -> float:
    return (1 + erf(x / sqrt(2))) / 2 + x * exp(-x * x / 2) / sqrt(2 * pi)


_XS = tuple(i / 10 for i in range(-30, 31))
_GELU = Drawing(
    168,
    "GELU and its derivative between \N{MINUS SIGN}3 and 3. The derivative is 1.08 at 1, and slightly "
    "negative left of \N{MINUS SIGN}0.75.",
    "Two diagrams over x from minus 3 to 3. Left, GELU: close to 0 at the left end, slightly negative near "
    "minus 0.75, and close to x at the right end. Right, its derivative: from 0 over slightly negative "
    "values and 0.5 at 0 to a little more than 1, and then towards 1.",
    (
        line(16, 108, 172, 108),
        line(94, 20, 94, 122),
        curve(((94 + 25 * x, 108 - 28 * _gelu(x)) for x in _XS), "signal"),
        text(94, 144, "GELU", tone="strong"),
        text(172, 122, "3", at="end"),
        text(16, 122, "\N{MINUS SIGN}3", at="start"),
        line(196, 108, 352, 108),
        line(274, 20, 274, 122),
        curve(((274 + 25 * x, 108 - 60 * _gelu_slope(x)) for x in _XS), "strong"),
        line(270, 48, 278, 48),
        text(266, 52, "1", at="end"),
        text(274, 144, "derivative", tone="strong"),
        text(352, 122, "3", at="end"),
        text(196, 122, "\N{MINUS SIGN}3", at="start"),
    ),
)

_SOFTMAX = Drawing(
    196,
    "Two parts of a row, each with its maximum m and its sum s of exponentials. One factor corrects the "
    "first sum.",
    "The row 1, 3, 2, 5 in two parts. The part 1, 3 has the maximum 3 and the sum 1.135. The part 2, 5 has "
    "the maximum 5 and the sum 1.050. Merged, the maximum is 5, and the sum is 1.135 times e to the power "
    "of minus 2, plus 1.050, which is 1.203.",
    (
        cells(56, 10, "1 3", "in", width=40),
        cells(224, 10, "2 5", "out", width=40),
        arrow(96, 42, 96, 62),
        arrow(264, 42, 264, 62),
        box(36, 66, 120, 42, "", "quiet"),
        text(96, 83, "m = 3", tone="strong"),
        text(96, 100, "s = 1.135"),
        box(204, 66, 120, 42, "", "quiet"),
        text(264, 83, "m = 5", tone="strong"),
        text(264, 100, "s = 1.050"),
        arrow(110, 112, 152, 142),
        arrow(250, 112, 208, 142),
        text(118, 132, f"{_TIMES} e\u207b\u00b2", at="end"),
        text(242, 132, f"{_TIMES} 1", at="start"),
        box(100, 146, 160, 42, "", "in"),
        text(180, 163, "m = 5", tone="strong"),
        text(180, 180, "s = 0.154 + 1.050 = 1.203"),
    ),
)

_BATCH_NORM = Drawing(
    152,
    "Two images with three channels of four pixels, in the order of memory. Channel 1 consists of two runs.",
    "A row of cells for each image. Image 0 holds the indices 0 to 11, image 1 holds 12 to 23. In each, "
    "four cells belong to channel 0, four to channel 1 and four to channel 2. Those of channel 1, 4 to 7 "
    "and 16 to 19, lead to the mean and variance of channel 1.",
    (
        *(text(66 + 112 * channel, 14, f"channel {channel}") for channel in range(3)),
        *(
            cells(10 + 112 * c, 20, " ".join(str(4 * c + i) for i in range(4)), _t)
            for c, _t in ((0, "quiet"), (1, "in"), (2, "quiet"))
        ),
        *(
            cells(10 + 112 * c, 58, " ".join(str(12 + 4 * c + i) for i in range(4)), _t)
            for c, _t in ((0, "quiet"), (1, "in"), (2, "quiet"))
        ),
        arrow(178, 90, 178, 112, "strong"),
        box(78, 116, 200, 30, "", "out"),
        text(178, 135, "mean and variance of channel 1"),
    ),
)

_ATTENTION = Drawing(
    174,
    "Causal attention with four positions: one row of weights for each query, and zeros after the diagonal.",
    "Left, four queries. In the middle, a matrix of weights with four rows and four columns, under the "
    "keys. The first row is 1, the second one half and one half, the third three thirds, the fourth four "
    "quarters; all other cells are empty. Right, the outputs: the mean of the values of the row.",
    (
        text(40, 16, "queries", tone="strong"),
        text(176, 16, "weights, by key", tone="strong"),
        text(306, 16, "outputs", tone="strong"),
        *(text(134 + 28 * i, 34, f"k{i}") for i in range(4)),
        *(cells(24, 42 + CELL * i, f"q{i}", "quiet", width=34) for i in range(4)),
        cells(120, 42, "1 - - -", "in"),
        cells(120, 70, "\u00bd \u00bd - -", "in"),
        cells(120, 98, "\u2153 \u2153 \u2153 -", "in"),
        cells(120, 126, "\u00bc \u00bc \u00bc \u00bc", "in"),
        *(cells(148 + CELL * i, 42 + CELL * i, " ".join("-" * (3 - i)), "quiet") for i in range(3)),
        *(arrow(62, 56 + CELL * i, 116, 56 + CELL * i) for i in range(4)),
        *(arrow(236, 56 + CELL * i, 264, 56 + CELL * i) for i in range(4)),
        *(
            cells(268, 42 + CELL * i, words, "out", width=76)
            for i, words in enumerate(("v0", "v0-to-v1", "v0-to-v2", "v0-to-v3"))
        ),
        text(306, 169, "means of these"),
    ),
)


_GROUPED_QUERIES = Drawing(
    138,
    "Eight query heads in two groups. The four heads of a group use the same keys and values.",
    "A row of eight query heads, q0 to q7. Arrows lead from q0, q1, q2 and q3 to the first head of keys "
    "and values, and from q4, q5, q6 and q7 to the second.",
    (
        text(180, 16, "query heads", tone="strong"),
        cells(12, 24, "q0 q1 q2 q3", "in", width=40),
        cells(188, 24, "q4 q5 q6 q7", "out", width=40),
        *(arrow(32 + 40 * i, 56, 68 + 16 * i, 83) for i in range(4)),
        *(arrow(208 + 40 * i, 56, 244 + 16 * i, 83) for i in range(4)),
        cells(42, 86, "k0,-v0", "in", width=100),
        cells(218, 86, "k1,-v1", "out", width=100),
        text(180, 132, "heads of keys and values", tone="strong"),
    ),
)

_FLASH = Drawing(
    176,
    "A tile of queries stays in a block. Tiles of keys and values pass one after the other, and the state "
    "is corrected.",
    "At the top, a row of four tiles of keys and values; the second one is being used. Below left, the "
    "tile of queries. Both lead to a small matrix of scores, which leads to the state: the maximum m, the "
    "sum l and the vector a.",
    (
        text(14, 18, "keys and values, in tiles", at="start", tone="strong"),
        cells(14, 26, "tile-0 tile-1 tile-2 tile-3", "quiet", width=62),
        box(76, 26, 62, 28, "", "in"),
        text(107, 44, "tile 1"),
        text(286, 44, "one by one", at="start"),
        arrow(107, 58, 107, 92, "strong"),
        text(16, 88, "queries", at="start", tone="strong"),
        box(14, 96, 52, 52, "", "in"),
        text(40, 126, "stay"),
        arrow(68, 122, 80, 122),
        box(84, 96, 66, 52, "", "quiet"),
        text(117, 120, "scores"),
        text(117, 136, "of a tile"),
        arrow(154, 122, 190, 122, "strong"),
        box(194, 78, 154, 88, "", "out"),
        text(271, 96, "state of each query", tone="strong"),
        text(271, 116, "m: maximum"),
        text(271, 134, "l: sum of exponentials"),
        text(271, 152, "a: weighted values"),
    ),
)

_BLOCK = Drawing(
    126,
    "A transformer block. The upper paths are residual connections, which add the input of each half.",
    "A chain from left to right: x, norm, attention, plus, norm, MLP, plus, y. A path leads from x over "
    "the first norm and the attention to the first plus. Another leads from the first plus over the second "
    "norm and the MLP to the second plus.",
    (
        cells(2, 66, "x", "quiet", width=22),
        *(
            mark
            for x, width, name, tone in (
                (38, 38, "norm", "quiet"),
                (86, 62, "attention", "in"),
                (194, 38, "norm", "quiet"),
                (242, 40, "MLP", "out"),
            )
            for mark in (box(x, 58, width, 44, "", tone), text(x + width / 2, 84, name))
        ),
        *(
            mark
            for x in (158, 292)
            for mark in (box(x, 69, 22, 22, "", ""), text(x + 11, 84, "+", tone="strong"))
        ),
        cells(330, 66, "y", "quiet", width=22),
        *(
            arrow(a, 80, b, 80)
            for a, b in ((24, 36), (76, 84), (148, 156), (180, 192), (232, 240), (282, 290), (314, 328))
        ),
        *(
            mark
            for start, end in ((30, 169), (186, 303))
            for mark in (line(start, 80, start, 36), line(start, 36, end, 36), arrow(end, 36, end, 66))
        ),
        text(100, 28, "x"),
        text(244, 28, "h"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "hello-extension": _DISPATCHER,
    "gelu-operator": _STRIDES,
    "gelu-backward": _GELU,
    "softmax": _SOFTMAX,
    "batch-norm": _BATCH_NORM,
    "single-head-attention": _ATTENTION,
    "grouped-query-attention": _GROUPED_QUERIES,
    "flash-attention": _FLASH,
    "transformer-block": _BLOCK,
}
