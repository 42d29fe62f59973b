"""The figures of the readings of days 41 to 60."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import CELL, Drawing, arrow, box, cells, line, text

_MINUS = "\N{MINUS SIGN}"
_TIMES = "\N{MULTIPLICATION SIGN}"
_RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")

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

_TRITON = Drawing(
    166,
    "Two orders of sixteen programs. The square reads four strips of each matrix, the row reads 1 + 16.",
    "Left, a result of tiles in which the first sixteen tiles of one row are marked; they need 1 strip of "
    "the first matrix and 16 of the second. Right, a square of four by four tiles is marked; it needs 4 "
    "strips of each.",
    (
        text(106, 16, "as a row", tone="strong"),
        text(282, 16, "as a square", tone="strong"),
        box(28, 52, 164, 86, "", "quiet"),
        box(30, 54, 160, 10, "", "in"),
        *(line(30 + 10 * i, 54, 30 + 10 * i, 64) for i in range(1, 16)),
        box(30, 26, 160, 18, "", "out"),
        text(110, 39, "16 strips"),
        box(6, 54, 16, 10, "", "out"),
        text(14, 80, "1"),
        box(238, 52, 112, 86, "", "quiet"),
        box(240, 54, 40, 40, "", "in"),
        *(line(240 + 10 * i, 54, 240 + 10 * i, 94) for i in range(1, 4)),
        *(line(240, 54 + 10 * i, 280, 54 + 10 * i) for i in range(1, 4)),
        box(240, 26, 40, 18, "", "out"),
        text(260, 39, "4"),
        box(216, 54, 16, 40, "", "out"),
        text(224, 78, "4"),
        text(106, 158, "17 strips in all"),
        text(282, 158, "8 strips in all"),
    ),
)


def _bar(start: int, end: int, y: int, tone: str) -> SafeString:
    return box(62 + 11 * start, y, 11 * (end - start), 18, "", tone)


_TIMELINE = Drawing(
    146,
    "Kernels of two streams, and the union of their intervals. At time 8, a kernel that started at 0 still "
    "runs.",
    "A time axis from 0 to 25. Stream 0 has kernels from 0 to 10 and from 20 to 25. Stream 1 has kernels "
    "from 2 to 4 and from 8 to 15. Below, the busy time goes from 0 to 15 and from 20 to 25, with idle "
    "time from 15 to 20.",
    (
        text(56, 24, "stream 0", at="end"),
        _bar(0, 10, 10, "in"),
        _bar(20, 25, 10, "in"),
        text(56, 54, "stream 1", at="end"),
        _bar(2, 4, 40, "out"),
        _bar(8, 15, 40, "out"),
        line(62, 70, 344, 70),
        *(line(62 + 11 * t, 68, 62 + 11 * t, 72) for t in (0, 5, 10, 15, 20, 25)),
        *(text(62 + 11 * t, 86, str(t)) for t in (0, 5, 10, 15, 20, 25)),
        text(56, 113, "busy", at="end", tone="strong"),
        _bar(0, 15, 99, "quiet"),
        _bar(20, 25, 99, "quiet"),
        text(254, 132, "idle", tone="bad"),
        line(227, 118, 282, 118, "bad"),
    ),
)

_LOSS_SCALE = Drawing(
    150,
    "Gradients on the scale of powers of two. Multiplied by 2\u00b9\u00b2, all of them fit into float16.",
    "A horizontal axis of powers of two from minus 32 to 16. Float16 is subnormal from minus 24 to minus "
    "14 and normal from minus 14 to 16. Gradients lie between minus 30 and minus 12, partly below the "
    "range. Multiplied by two to the twelfth, they lie between minus 18 and 0, inside the range.",
    (
        text(12, 22, "gradients", at="start", tone="strong"),
        box(26, 30, 120, 18, "", "bad"),
        box(66, 30, 80, 18, "", "in"),
        text(12, 72, f"{_TIMES} 2\u00b9\u00b2", at="start", tone="strong"),
        box(106, 60, 120, 18, "", "in"),
        box(66, 92, 66, 20, "", "quiet"),
        text(99, 106, "subnormal"),
        box(132, 92, 200, 20, "", "out"),
        text(232, 106, "normal float16"),
        line(12, 118, 340, 118),
        *(line(226 + 6.667 * p, 116, 226 + 6.667 * p, 120) for p in (-24, -14, 0, 16)),
        *(text(226 + 6.667 * p, 134, f"2{str(p).translate(_RAISED)}") for p in (-24, -14, 0, 16)),
    ),
)

_ALLOCATOR = Drawing(
    164,
    "Three tensors as rectangles over time and memory. A and C share their bytes, because A dies before C "
    "is born.",
    "The time goes to the right from 0 to 6, the memory upwards from 0 to 6 MB. A lies at the bottom from "
    "time 0 to 3 with 4 MB. B lies above it from 2 to 5 with 2 MB. C lies at the bottom from 4 to 6 with 4 "
    "MB.",
    (
        line(60, 12, 60, 132),
        line(60, 132, 336, 132),
        box(60, 52, 132, 80, "A, 4 MB", "in"),
        box(148, 12, 132, 40, "B, 2 MB", "quiet"),
        box(236, 52, 88, 80, "C, 4 MB", "out"),
        *(text(60 + 44 * t, 147, str(t)) for t in range(7)),
        *(text(52, 136 - 20 * m, str(m), at="end") for m in (0, 4, 6)),
        text(52, 78, "MB", at="end"),
        text(324, 160, "time", at="end"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "softmax": _SOFTMAX,
    "batch-norm": _BATCH_NORM,
    "single-head-attention": _ATTENTION,
    "grouped-query-attention": _GROUPED_QUERIES,
    "flash-attention": _FLASH,
    "triton-matmul": _TRITON,
    "timeline-idle": _TIMELINE,
    "tensor-allocator": _ALLOCATOR,
    "dynamic-loss-scale": _LOSS_SCALE,
}
