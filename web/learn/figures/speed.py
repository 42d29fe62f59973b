"""The figures about speed and precision."""

from collections.abc import Mapping

from web.learn.drawing import Drawing, box, cells, curve, line, text

_AXES = (line(50, 14, 50, 120), line(50, 120, 340, 120))
_BANDWIDTH = Drawing(
    150,
    "The roofline: with few operations per byte, memory is the limit.",
    "A diagram. The horizontal axis is operations per byte, the vertical axis is speed. The limit rises as "
    "a straight line, labelled memory, and then continues horizontally, labelled arithmetic. Vector "
    "addition is far left on the rising part.",
    (
        *_AXES,
        curve(((50, 116), (200, 36), (340, 36)), "strong"),
        text(104, 66, "memory", tone="strong"),
        text(276, 28, "arithmetic", tone="strong"),
        curve(((66, 108), (66, 120)), "signal"),
        text(72, 112, "vector addition", at="start"),
        text(195, 142, "operations per byte"),
        text(44, 20, "speed", at="end"),
    ),
)

_COMPUTE = Drawing(
    140,
    "The same product of two matrices: without tiles it waits for memory, with tiles for arithmetic.",
    "Two pairs of bars. Without tiles, the bar for memory is long and the bar for arithmetic is short. With "
    "tiles, the bar for memory is shorter than the bar for arithmetic, which has not changed.",
    (
        text(12, 16, "without tiles", at="start", tone="strong"),
        box(96, 24, 252, 18, "", "bad"),
        box(96, 46, 84, 18, "", "in"),
        text(90, 38, "memory", at="end"),
        text(90, 60, "arithmetic", at="end"),
        text(12, 88, "with tiles", at="start", tone="strong"),
        box(96, 96, 30, 18, "", "quiet"),
        box(96, 118, 84, 18, "", "in"),
        text(90, 110, "memory", at="end"),
        text(90, 132, "arithmetic", at="end"),
    ),
)

_STABILITY = Drawing(
    132,
    "The softmax of 100, 101 and 102: the plain formula overflows, the shifted one does not.",
    "Two rows. In the first, the exponentials of 100, 101 and 102 are infinite, and infinity divided by "
    "infinity is not a number. In the second, 102 is subtracted first; the exponentials are 0.14, 0.37 and "
    "1, and the result is 0.09, 0.24 and 0.67.",
    (
        text(12, 16, "exp(x)", at="start", tone="strong"),
        cells(12, 24, "!inf !inf !inf", width=42),
        text(172, 42, "÷ sum =", tone="strong"),
        cells(206, 24, "!nan !nan !nan", width=46),
        text(12, 84, "exp(x \N{MINUS SIGN} max)", at="start", tone="strong"),
        cells(12, 92, "0.14 0.37 1", "in", width=42),
        text(172, 110, "÷ sum =", tone="strong"),
        cells(206, 92, "0.09 0.24 0.67", "out", width=46),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "bandwidth": _BANDWIDTH,
    "compute-bound": _COMPUTE,
    "numerical-stability": _STABILITY,
}
