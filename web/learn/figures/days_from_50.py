"""The figures of the readings of days 50 to 60."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import Drawing, arrow, box, cells, line, text

_MINUS = "\N{MINUS SIGN}"
_TIMES = "\N{MULTIPLICATION SIGN}"
_RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")

_FOLDING = Drawing(
    158,
    "For one channel: the two linear functions become one, with another weight and another bias.",
    "At the top, x goes through a convolution with the weight 2 and the bias 1 and then through a "
    "normalisation, which multiplies by 2 and subtracts 5.5. Below, x goes through a single convolution "
    "with the weight 4 and the bias minus 3.5. Both give y.",
    (
        cells(6, 26, "x", "in", width=30),
        arrow(38, 40, 54, 40),
        box(58, 16, 106, 48, "", "quiet"),
        text(111, 35, "convolution", tone="strong"),
        text(111, 53, "2x + 1"),
        arrow(168, 40, 184, 40),
        box(188, 16, 112, 48, "", "bad"),
        text(244, 35, "normalisation", tone="strong"),
        text(244, 53, f"2x {_MINUS} 5.5"),
        arrow(304, 40, 320, 40),
        cells(324, 26, "y", "out", width=30),
        cells(6, 110, "x", "in", width=30),
        arrow(38, 124, 118, 124),
        box(122, 100, 112, 48, "", "out"),
        text(178, 119, "convolution", tone="strong"),
        text(178, 137, f"4x {_MINUS} 3.5"),
        arrow(238, 124, 320, 124),
        cells(324, 110, "y", "out", width=30),
    ),
)

_QDQ = Drawing(
    156,
    "Pairs of nodes around a convolution. The weight is stored as integers, so it needs only the second "
    "node.",
    "The input x goes through Q and DQ to a convolution. The stored eight-bit weight goes through DQ to "
    "the same convolution. Its output goes through Q and DQ to the next layer. A frame marks the part that "
    "a runtime replaces by an integer convolution.",
    (
        box(97, 14, 194, 122, "", "quiet"),
        cells(6, 46, "x", "quiet", width=26),
        arrow(34, 60, 46, 60),
        cells(49, 46, "Q", "in", width=34),
        arrow(85, 60, 101, 60),
        cells(104, 46, "DQ", "out", width=34),
        arrow(140, 60, 152, 60),
        box(156, 38, 78, 44, "", ""),
        text(195, 65, "convolution", tone="strong"),
        arrow(236, 60, 248, 60),
        cells(251, 46, "Q", "in", width=34),
        arrow(287, 60, 303, 60),
        cells(306, 46, "DQ", "out", width=34),
        cells(49, 102, "w8", "quiet", width=34),
        arrow(85, 116, 101, 116),
        cells(104, 102, "DQ", "out", width=34),
        arrow(140, 116, 170, 86),
        text(194, 30, "integers inside"),
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

_TUNER = Drawing(
    166,
    "Measurements of a search: first some random ones, then neighbours of the best. A lower point is faster.",
    "A diagram with the measurements to the right and the time upwards. The first eight points are "
    "scattered between slow and fast. The next seven are close to the best of them, and the last ones are "
    "a little faster. A dashed line marks the best configuration of the whole space.",
    (
        line(50, 14, 50, 128),
        line(50, 128, 346, 128),
        text(44, 22, "time", at="end"),
        *(box(60 + 19 * i, y, 8, 8, "", "in") for i, y in enumerate((40, 84, 24, 66, 96, 50, 30, 78))),
        *(box(212 + 19 * i, y, 8, 8, "", "out") for i, y in enumerate((100, 90, 104, 98, 106, 102, 108))),
        line(50, 118, 346, 118, "bad"),
        text(128, 144, "random", tone="strong"),
        text(278, 144, "neighbours", tone="strong"),
        text(44, 121, "best", at="end", tone="bad"),
        text(198, 162, "measurements"),
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

_ALLOCATOR = Drawing(
    164,
    "Three tensors as rectangles over time and memory. A and C share their bytes, because A is freed before "
    "C is allocated.",
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

_PREFETCH = Drawing(
    146,
    "Three workers load items in parallel. The queue keeps items that are ready, and it has a limited "
    "length.",
    "Left, three workers. Arrows lead from them to a queue for four items, which holds the items 4 "
    "and 5. An arrow leads from the queue to the training step, which uses item 3.",
    (
        *(box(10, 14 + 42 * i, 92, 32, "", "in") for i in range(3)),
        *(text(56, 34 + 42 * i, f"loads item {6 + i}") for i in range(3)),
        arrow(106, 30, 142, 58),
        arrow(106, 72, 142, 72),
        arrow(106, 114, 142, 86),
        text(192, 46, "queue", tone="strong"),
        cells(146, 58, "- - 5 4", "quiet", width=23),
        cells(192, 58, "5 4", "out", width=23),
        arrow(242, 72, 262, 72, "strong"),
        box(266, 52, 84, 40, "", "quiet"),
        text(308, 69, "step", tone="strong"),
        text(308, 85, "uses item 3"),
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

_CLIP = Drawing(
    172,
    "Similarities of three images and three texts. Each row and each column should have its maximum on the "
    "diagonal.",
    "A matrix with three rows for images and three columns for texts. The diagonal is 9, 8 and 7; all "
    "other elements are between 0 and 3. An arrow at the right end of a row leads to the label: which text "
    "for this image? An arrow below a column leads to: which image for this text?",
    (
        *(text(112 + 44 * i, 18, f"text {i}") for i in range(3)),
        *(text(80, 46 + 28 * i, f"image {i}", at="end") for i in range(3)),
        cells(90, 28, "9 1 0", "quiet", width=44),
        cells(90, 56, "2 8 3", "quiet", width=44),
        cells(90, 84, "0 1 7", "quiet", width=44),
        cells(90, 28, "9", "out", width=44),
        cells(134, 56, "8", "out", width=44),
        cells(178, 84, "7", "out", width=44),
        arrow(226, 70, 246, 70, "strong"),
        text(252, 66, "softmax of a", at="start"),
        text(252, 80, "row: which text?", at="start"),
        arrow(156, 116, 156, 134, "strong"),
        text(156, 150, "softmax of a column:"),
        text(156, 165, "which image?"),
    ),
)

_LOADS = Drawing(
    158,
    "Four threads read sixteen floats, with four narrow loads or one wide load each. The bytes are the same.",
    "Two rows of sixteen cells, each with the number of the thread that reads it. With narrow loads, the "
    "threads 0 to 3 read cells 0 to 3 with load 1, cells 4 to 7 with load 2, and so on. With wide loads, "
    "thread 0 reads the first four cells, thread 1 the next four, and so on, all with one load.",
    (
        text(12, 18, "narrow loads", at="start", tone="strong"),
        *(
            cells(12 + 84 * load, 26, "t0 t1 t2 t3", "in" if load % 2 else "out", width=21)
            for load in range(4)
        ),
        *(text(54 + 84 * load, 70, f"load {load + 1}") for load in range(4)),
        text(12, 100, "wide loads", at="start", tone="strong"),
        *(
            cells(12 + 84 * thread, 108, f"t{thread} t{thread} t{thread} t{thread}", "out", width=21)
            for thread in range(4)
        ),
        text(180, 152, "load 1"),
    ),
)


def _steps(x: float, y: float, names: str) -> SafeString:
    return cells(x, y, names, "in", width=48)


_GRAPH_BREAK = Drawing(
    166,
    "A print divides a model into two graphs. Without it, all four operations are in one graph.",
    "Above, a graph with linear and relu, then print outside of any graph, then a second graph with mul "
    "and sum. Below, one graph with linear, relu, mul and sum.",
    (
        box(6, 6, 120, 62, "graph 1", "quiet"),
        _steps(18, 30, "linear relu"),
        arrow(130, 44, 146, 44),
        cells(150, 30, "!print", width=48),
        arrow(202, 44, 218, 44),
        box(222, 6, 120, 62, "graph 2", "quiet"),
        _steps(234, 30, "mul sum"),
        text(174, 84, "executed by Python", tone="bad"),
        box(66, 98, 216, 62, "graph 1", "quiet"),
        _steps(78, 122, "linear relu mul sum"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "fold-batchnorm": _FOLDING,
    "qdq-export": _QDQ,
    "triton-matmul": _TRITON,
    "same-kernel-twice": _LOADS,
    "write-the-tuner": _TUNER,
    "compile-friendly": _GRAPH_BREAK,
    "timeline-idle": _TIMELINE,
    "tensor-allocator": _ALLOCATOR,
    "prefetch-loader": _PREFETCH,
    "dynamic-loss-scale": _LOSS_SCALE,
    "clip-loss": _CLIP,
}
