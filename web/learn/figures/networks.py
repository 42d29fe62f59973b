"""The figures about the arithmetic of neural networks."""

from collections.abc import Mapping

from web.learn.drawing import Drawing, arrow, box, cells, line, text

_MINUS = "\N{MINUS SIGN}"

_QUANTISATION = Drawing(
    156,
    "Four bits per value. The largest magnitude, 3.5, becomes 7, so the scale is 0.5.",
    f"Three rows of four cells. The first holds the values 0.6, {_MINUS}1.2, 3.5 and 0.1. Divided by the "
    f"scale 0.5 and rounded, they become the integers 1, {_MINUS}2, 7 and 0. Multiplied by the scale, these "
    f"are 0.5, {_MINUS}1, 3.5 and 0.",
    (
        text(92, 26, "x", at="end"),
        cells(102, 8, f"0.6 {_MINUS}1.2 3.5 0.1", "in", width=48),
        *(arrow(126 + 48 * i, 39, 126 + 48 * i, 61) for i in range(4)),
        text(302, 54, "÷ 0.5", at="start"),
        text(92, 82, "q", at="end"),
        cells(102, 64, f"1 {_MINUS}2 7 0", "out", width=48),
        *(arrow(126 + 48 * i, 95, 126 + 48 * i, 117) for i in range(4)),
        text(302, 110, "\N{MULTIPLICATION SIGN} 0.5", at="start"),
        text(92, 138, "q \N{MULTIPLICATION SIGN} scale", at="end"),
        cells(102, 120, f"0.5 {_MINUS}1 3.5 0", "quiet", width=48),
    ),
)

_FUSION = Drawing(
    176,
    "Two kernels store the intermediate array t and load it again. The fused kernel keeps it in registers.",
    "Left, two kernels above device memory: the first reads x and writes t, the second reads t and writes y. "
    "Right, one fused kernel: it reads x and writes y, and t is inside the kernel.",
    (
        text(102, 14, "two kernels", tone="strong"),
        box(12, 24, 84, 62, "first"),
        box(108, 24, 84, 62, "second"),
        arrow(32, 131, 32, 89),
        arrow(76, 89, 76, 131, "bad"),
        arrow(128, 131, 128, 89, "bad"),
        arrow(172, 89, 172, 131),
        cells(18, 134, "x", "in"),
        cells(62, 134, "t", "bad", width=80),
        cells(158, 134, "y", "out"),
        text(284, 14, "fused", tone="strong"),
        box(224, 24, 120, 62, "first and second"),
        cells(270, 50, "t", "quiet"),
        arrow(244, 131, 244, 89),
        arrow(324, 89, 324, 131),
        cells(230, 134, "x", "in"),
        cells(310, 134, "y", "out"),
    ),
)

_SPARSITY = Drawing(
    164,
    "A matrix in the format CSR: row i begins at entry row_start[i] and ends before row_start[i + 1].",
    "Left, a matrix with three rows and four columns. Row 0 is 5, 0, 0, 2, row 1 is all zeros, and row 2 is "
    "0, 7, 1, 0. Right, its arrays: row_start is 0, 2, 2, 4, column is 0, 3, 1, 2, and value is 5, 2, 7, 1.",
    (
        text(68, 20, "matrix", tone="strong"),
        cells(12, 36, "5 0 0 2", "quiet"),
        cells(12, 64, "0 0 0 0", "quiet"),
        cells(12, 92, "0 7 1 0", "quiet"),
        cells(12, 36, "5", "in"),
        cells(96, 36, "2", "in"),
        cells(40, 92, "7 1", "out"),
        text(222, 28, "row_start", at="end"),
        cells(232, 10, "0 2 2 4", "quiet"),
        arrow(246, 40, 232, 65),
        arrow(330, 40, 344, 65),
        arrow(274, 40, 288, 65),
        arrow(302, 40, 288, 65),
        text(222, 86, "column", at="end"),
        cells(232, 68, "0 3", "in"),
        cells(288, 68, "1 2", "out"),
        text(222, 134, "value", at="end"),
        cells(232, 116, "5 2", "in"),
        cells(288, 116, "7 1", "out"),
        line(288, 68, 288, 148, "strong"),
    ),
)

_GRADIENTS = Drawing(
    130,
    "Forward, each layer computes its output. Backward, it turns the gradient of its output into that of its "
    "input.",
    "Two layers, followed by the loss. Arrows at the top lead forward: x, h, y. Arrows at the bottom lead "
    "backward from the loss: dy, dh, dx. An arrow leads down from each layer to the gradient of its weights.",
    (
        box(56, 8, 72, 64, "layer 1"),
        box(178, 8, 72, 64, "layer 2"),
        box(300, 8, 50, 64, "loss"),
        *(arrow(x, 32, x + 42, 32, "strong") for x in (10, 132, 254)),
        *(arrow(x + 42, 58, x, 58) for x in (10, 132, 254)),
        *(text(x, 26, word) for x, word in ((28, "x"), (150, "h"), (272, "y"))),
        *(text(x, 74, word) for x, word in ((32, "dx"), (154, "dh"), (276, "dy"))),
        *(arrow(x, 74, x, 95) for x in (92, 214)),
        cells(70, 98, "dW1", "out", width=44),
        cells(192, 98, "dW2", "out", width=44),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "quantisation": _QUANTISATION,
    "fusion": _FUSION,
    "sparsity": _SPARSITY,
    "gradients": _GRADIENTS,
}
