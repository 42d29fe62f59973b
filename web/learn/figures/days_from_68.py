"""The figures of the readings of days 68 to 79."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import Drawing, arrow, box, cells, line, text

_MINUS = "\N{MINUS SIGN}"
_TIMES = "\N{MULTIPLICATION SIGN}"

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
    "registers with eight decoded numbers. They are multiplied with eight inputs and added to one sum.",
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

FIGURES: Mapping[str, Drawing] = {
    "int4-pack": _INT4_PACK,
    "int4-linear": _INT4_LINEAR,
    "quantisation-error": _ERROR,
}
