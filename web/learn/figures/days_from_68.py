"""The figures of the readings of days 68 to 80."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import Drawing, arrow, box, cells, curve, line, text

_MINUS = "\N{MINUS SIGN}"
_TIMES = "\N{MULTIPLICATION SIGN}"
_AROUND = (-0.018, -0.006, 0.005, -0.008, 0.004, -0.005, 0.003, -0.003)  # a weight minus 0.15

_INT4_PACK = Drawing(
    172,
    "A group of four weights with the scale 0.5. Each pair of codes shares a byte.",
    "Four weights: 0.5, 2, minus 1.5 and 3.5. Divided by the scale 0.5 and shifted by 8, they are the "
    "codes 9, 12, 5 and 15. The first two codes make the byte c9, the other two the byte f5, each with the "
    "second code in the upper half. The scale is stored once.",
    (
        text(70, 27, "weights", at="end"),
        cells(80, 10, f"0.5 2 {_MINUS}1.5 3.5", "in", width=50),
        *(arrow(105 + 50 * i, 41, 105 + 50 * i, 63) for i in range(4)),
        text(290, 57, "÷ 0.5, + 8", at="start"),
        text(70, 83, "codes", at="end"),
        cells(80, 66, "9 12 5 15", "quiet", width=50),
        arrow(105, 97, 152, 121),
        arrow(155, 97, 122, 121),
        arrow(205, 97, 252, 121),
        arrow(255, 97, 222, 121),
        text(70, 141, "bytes", at="end"),
        cells(102, 124, "c 9", "out", width=33),
        cells(202, 124, "f 5", "out", width=33),
        cells(300, 124, "0.5", "in", width=48),
        text(324, 166, "scale"),
    ),
)

_INT4_LINEAR = Drawing(
    130,
    "A word of eight codes is loaded once. The codes become numbers in registers, directly before their use.",
    "Left, device memory with packed codes in words. An arrow labelled 4 bytes leads to the middle, "
    "registers with eight decoded numbers. They are multiplied by eight inputs and added to one sum.",
    (
        text(52, 16, "device memory", tone="strong"),
        cells(10, 26, "word word word", "quiet", width=36),
        cells(46, 26, "word", "in", width=36),
        text(198, 16, "registers", tone="strong"),
        arrow(64, 56, 64, 86, "strong"),
        text(72, 76, "4 bytes", at="start"),
        cells(10, 90, "9 c 5 f 8 8 a 7", "in", width=17),
        arrow(150, 104, 182, 104, "strong"),
        cells(186, 90, f"1 4 {_MINUS}3 7 0 0 2 {_MINUS}1", "out", width=21),
        text(166, 84, "decode"),
        arrow(270, 86, 270, 62),
        text(278, 78, f"{_TIMES} x, sum", at="start"),
        cells(246, 30, "sum", "quiet", width=48),
    ),
)


def _level(number: int, value: int, tone: str) -> tuple[SafeString, ...]:
    y = 12 + 26 * number
    return (
        text(72, y + 14, f"channel {number}", at="end"),
        box(80, y, 5 * value, 18, "", tone),
        text(88 + 5 * value, y + 14, f"{value} dB", at="start"),
    )


_ERROR = Drawing(
    150,
    "The ratio of signal and error by channel. If the signals are equally large, channel 3 has nearly all "
    "of the error.",
    "Five horizontal bars. Channels 0, 1, 2 and 4 have 38, 36, 40 and 37 decibels. Channel 3 has 12 "
    "decibels.",
    (
        *(
            mark
            for number, value in enumerate((38, 36, 40, 12, 37))
            for mark in _level(number, value, "bad" if value < 20 else "in")
        ),
        line(80, 8, 80, 142),
    ),
)

_DECODE = Drawing(
    164,
    "Bytes of a pass with one sequence and with four. The weights are read once, and each sequence adds "
    "its cache.",
    "Two horizontal bars. The first consists of a long part for the weights and one short part for a "
    "cache. The second has the same long part and four short parts. The first pass yields one token, the "
    "second four.",
    (
        text(12, 18, "1 sequence", at="start", tone="strong"),
        box(12, 26, 150, 30, "", "in"),
        text(87, 45, "weights"),
        box(162, 26, 42, 30, "", "out"),
        text(183, 45, "cache"),
        text(216, 45, "1 token", at="start"),
        text(12, 90, "4 sequences", at="start", tone="strong"),
        box(12, 98, 150, 30, "", "in"),
        text(87, 117, "weights"),
        *(box(162 + 42 * i, 98, 42, 30, "", "out") for i in range(4)),
        *(text(183 + 42 * i, 117, "cache") for i in range(4)),
        text(346, 90, "4 tokens", at="end"),
        arrow(12, 140, 346, 140),
        text(180, 156, "bytes of a pass"),
    ),
)

_ADAPTER = Drawing(
    160,
    "An input passes through the frozen matrix and, in parallel, through two thin matrices. The results "
    "are added.",
    "Left, the input x with 4096 numbers. The upper path leads through the matrix W in four bits. The "
    "lower path leads through A to a vector of 16 numbers and through B. Both paths meet at a plus sign, "
    "and the result is y.",
    (
        cells(8, 66, "x", "in", width=36),
        arrow(46, 74, 84, 44),
        box(88, 18, 172, 46, "", "quiet"),
        text(174, 38, "W, frozen, in four bits", tone="strong"),
        text(174, 55, "4096 by 4096"),
        arrow(264, 44, 298, 72),
        arrow(46, 86, 66, 112),
        box(70, 98, 78, 46, "", "out"),
        text(109, 118, "A", tone="strong"),
        text(109, 135, "16 by 4096"),
        arrow(152, 121, 172, 121),
        cells(174, 107, "16", "in", width=26),
        arrow(202, 121, 218, 121),
        box(222, 98, 78, 46, "", "out"),
        text(261, 118, "B", tone="strong"),
        text(261, 135, "4096 by 16"),
        arrow(296, 96, 304, 90),
        text(306, 84, "+", tone="strong"),
        arrow(314, 80, 322, 80),
        cells(324, 66, "y", "in", width=30),
    ),
)

_CHOICES = Drawing(
    142,
    "Log-likelihoods of the tokens of two choices. By the sum, A is better. By the mean, B is better.",
    "Choice A has two tokens with minus 1 and minus 2: the sum is minus 3, the mean minus 1.5. Choice B "
    "has four tokens with minus 1 each: the sum is minus 4, the mean minus 1.",
    (
        text(150, 16, "tokens", tone="strong"),
        text(268, 16, "sum", tone="strong"),
        text(328, 16, "mean", tone="strong"),
        text(84, 46, "choice A", at="end"),
        cells(94, 28, f"{_MINUS}1 {_MINUS}2", "in"),
        cells(248, 28, f"{_MINUS}3", "out", width=40),
        cells(308, 28, f"{_MINUS}1.5", "quiet", width=40),
        text(84, 96, "choice B", at="end"),
        cells(94, 78, f"{_MINUS}1 {_MINUS}1 {_MINUS}1 {_MINUS}1", "in"),
        cells(248, 78, f"{_MINUS}4", "quiet", width=40),
        cells(308, 78, f"{_MINUS}1", "out", width=40),
        text(268, 128, "A wins"),
        text(328, 128, "B wins"),
    ),
)

_SKIP = Drawing(
    138,
    "Left, a matrix in blocks, of which the grey ones are skipped. Right, lists of kept blocks contain "
    "only the work.",
    "Left, three rows of five blocks. Row 0 keeps the blocks 1 and 4, row 1 keeps 0, 1 and 3, row 2 keeps "
    "block 2. Right, the lists: 1, 4; 0, 1, 3; 2.",
    (
        text(84, 16, "flags of blocks", tone="strong"),
        text(280, 16, "lists of kept blocks", tone="strong"),
        *(cells(14, 28 + 36 * i, "- - - - -", "quiet") for i in range(3)),
        *(
            cells(14 + 28 * block, 28 + 36 * row, str(block), "in")
            for row, kept in enumerate(((1, 4), (0, 1, 3), (2,)))
            for block in kept
        ),
        *(arrow(160, 42 + 36 * i, 222, 42 + 36 * i) for i in range(3)),
        cells(230, 28, "1 4", "out"),
        cells(230, 64, "0 1 3", "out"),
        cells(230, 100, "2", "out"),
    ),
)

_HYBRID = Drawing(
    176,
    "A word of eight codes becomes two words of four bytes. Each byte then meets an activation.",
    "At the top, a word with the codes 9, c, 5, f, 8, 8, a, 7. Below left, the mask keeps the lower "
    "halves: 0c, 0f, 08, 07. Below right, after a shift by four bits, the upper halves: 09, 05, 08, 0a. "
    "Each word goes into an instruction with four products.",
    (
        text(180, 14, "one word, eight codes", tone="strong"),
        cells(68, 22, "9 c 5 f 8 8 a 7", "quiet"),
        *(cells(96 + 56 * i, 22, code, "in") for i, code in enumerate("cf87")),
        *(cells(68 + 56 * i, 22, code, "out") for i, code in enumerate("958a")),
        arrow(150, 54, 100, 82),
        arrow(210, 54, 260, 82),
        text(112, 66, "mask", at="end"),
        text(250, 66, "shift, mask", at="start"),
        cells(26, 86, "0c 0f 08 07", "in", width=36),
        cells(190, 86, "09 05 08 0a", "out", width=36),
        arrow(98, 117, 98, 137),
        arrow(262, 117, 262, 137),
        box(26, 140, 144, 28, "", "quiet"),
        text(98, 158, "four products"),
        box(190, 140, 144, 28, "", "quiet"),
        text(262, 158, "four products"),
    ),
)

_FP8 = Drawing(
    160,
    "Blocks of 128 along the sum. Each partial sum is multiplied by two scales, and then added in float32.",
    "Two rows of four blocks, for A and B, each with a scale. Below each pair of blocks is a partial sum. "
    "Arrows lead from the four partial sums to a total in float32.",
    (
        text(58, 27, "A", at="end"),
        cells(66, 10, "a0 a1 a2 a3", "in", width=70),
        text(58, 63, "B", at="end"),
        cells(66, 46, "b0 b1 b2 b3", "out", width=70),
        *(arrow(101 + 70 * i, 77, 101 + 70 * i, 92) for i in range(4)),
        text(58, 108, "scaled", at="end"),
        *(text(101 + 70 * i, 106, f"p{i} {_TIMES} scales") for i in range(4)),
        *(arrow(101 + 70 * i, 111, 176 + 20 * i, 126) for i in range(4)),
        box(146, 130, 122, 26, "", "quiet"),
        text(207, 147, "total in float32", tone="strong"),
    ),
)

_LAYER_BITS = Drawing(
    126,
    "Two possible steps from 4 to 8 bits. The small layer gains less, but more for each byte.",
    "A table with two rows. Layer A has 100 weights, its error falls from 8 to 2 for 50 bytes: 0.12 per "
    "byte. Layer B has 10 weights, its error falls from 3 to 1 for 5 bytes: 0.4 per byte.",
    (
        *(text(x, 16, word) for x, word in ((118, "gain"), (196, "bytes"), (300, "gain per byte"))),
        text(76, 48, "layer A", at="end", tone="strong"),
        cells(86, 30, "6", "in", width=64),
        text(157, 48, "÷"),
        cells(164, 30, "50", "quiet", width=64),
        text(244, 48, "="),
        cells(260, 30, "0.12", "quiet", width=80),
        text(76, 98, "layer B", at="end", tone="strong"),
        cells(86, 80, "2", "in", width=64),
        text(157, 98, "÷"),
        cells(164, 80, "5", "quiet", width=64),
        text(244, 98, "="),
        cells(260, 80, "0.4", "out", width=80),
    ),
)

_CROSS_ATTENTION = Drawing(
    164,
    "An image of six patches and a text of three tokens. Each token has one score for each patch.",
    "Left, an image of two rows with three patches each, numbered 0 to 5. Right, a matrix of scores with "
    "three rows for the tokens a, red and car, and six columns for the patches.",
    (
        text(54, 30, "image", tone="strong"),
        *(cells(12, 40 + 28 * row, words, "in") for row, words in enumerate(("0 1 2", "3 4 5"))),
        arrow(104, 68, 128, 60, "strong"),
        text(262, 16, "patches: keys and values", tone="strong"),
        cells(178, 24, "0 1 2 3 4 5", "in"),
        *(
            mark
            for row, word in enumerate(("a", "red", "car"))
            for mark in (
                cells(132, 66 + 28 * row, word, "out", width=38),
                cells(178, 66 + 28 * row, "- - - - - -"),
            )
        ),
        text(124, 126, "text:", at="end", tone="strong"),
        text(124, 142, "queries", at="end", tone="strong"),
    ),
)

_PER_CHANNEL = Drawing(
    168,
    "The codes of two channels. With a common scale, the channel with small weights has three codes.",
    "Four bars on an axis of codes from minus 127 to 127. With a common scale, channel A, with weights up to "
    "2, uses the whole axis, and channel B, with weights up to 0.02, uses only the codes from minus 1 to 1. "
    "With a scale for each channel, both use the whole axis.",
    (
        text(12, 18, "a common scale", at="start", tone="strong"),
        text(80, 41, "up to 2", at="end"),
        box(88, 28, 254, 18, "", "in"),
        text(80, 65, "up to 0.02", at="end"),
        box(214, 52, 3, 18, "", "bad"),
        text(224, 65, f"{_MINUS}1, 0 and 1", at="start"),
        text(12, 94, "a scale for each channel", at="start", tone="strong"),
        text(80, 117, "up to 2", at="end"),
        box(88, 104, 254, 18, "", "in"),
        text(80, 141, "up to 0.02", at="end"),
        box(88, 128, 254, 18, "", "out"),
        text(88, 163, f"{_MINUS}127"),
        text(215, 163, "0"),
        text(342, 163, "127"),
        text(60, 163, "codes", at="end"),
    ),
)

_JUMPS = Drawing(
    152,
    "An example: a weight moves a little around the border at 0.15. Its rounded value jumps a whole step.",
    "A diagram over eight steps. The float weight stays between 0.13 and 0.16. The rounded weight jumps "
    "between 0.1 and 0.2, because the border at 0.15 is crossed in almost every step.",
    (
        *(text(44, 28 + 50 * i, word, at="end") for i, word in enumerate(("0.20", "0.15", "0.10"))),
        line(50, 24, 340, 24),
        line(50, 74, 340, 74, "bad"),
        line(50, 124, 340, 124),
        *(
            box(56 + 36 * step, y - 4, 24, 8, "", "out")
            for step, y in enumerate((124, 124, 24, 124, 24, 124, 24, 124))
        ),
        curve([(68 + 36 * step, 74 - 1000 * d) for step, d in enumerate(_AROUND)], "signal"),
        text(344, 96, "float weight", at="end"),
        text(344, 148, "rounded weight", at="end"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "int4-pack": _INT4_PACK,
    "int4-linear": _INT4_LINEAR,
    "quantisation-error": _ERROR,
    "layer-bits": _LAYER_BITS,
    "block-skip-int4": _SKIP,
    "hybrid-4-8": _HYBRID,
    "predict-decode": _DECODE,
    "quantised-vlm": _CROSS_ATTENTION,
    "qlora-linear": _ADAPTER,
    "fp8-block-gemm": _FP8,
    "static-int8-onnx": _PER_CHANNEL,
    "choice-likelihood": _CHOICES,
    "four-bit-student": _JUMPS,
}
