"""The figures of the readings of days 98 to 100."""

from collections.abc import Mapping

from web.learn.drawing import Drawing, arrow, box, cells, line, text

_EVIDENCE = Drawing(
    166,
    "An example of a claim with its evidence: the measured time next to the time that the bytes need.",
    "A sentence: transpose, 4096 by 4096 floats, median of 100 runs. Below, two bars from zero. The limit "
    "by bandwidth, 134 MB at 1555 GB/s, is 0.086 ms. The kernel takes 0.100 ms, so the limit is 86 percent "
    "of it.",
    (
        text(12, 18, "transpose, 4096 \N{MULTIPLICATION SIGN} 4096 floats", at="start", tone="strong"),
        text(12, 34, "median of 100 runs, without copies", at="start"),
        text(62, 69, "limit", at="end"),
        box(70, 54, 215, 24, "", "quiet"),
        text(177, 70, "134 MB at 1,555 GB/s"),
        text(292, 70, "0.086 ms", at="start"),
        text(62, 107, "kernel", at="end"),
        box(70, 92, 250, 24, "", "out"),
        text(195, 108, "0.100 ms"),
        line(70, 126, 320, 126),
        line(285, 50, 285, 130, "bad"),
        text(285, 146, "86 %", tone="bad"),
        text(70, 146, "0"),
        text(320, 162, "100 %", at="end"),
    ),
)

_MINUTES = Drawing(
    142,
    "One way to divide 45 minutes. The time for the run by hand is fixed in advance.",
    "A bar of 45 minutes. The first 3 are for reading, the next 16 for facts and estimates, then 15 for "
    "the kernel, 5 for running it by hand, and 6 for open questions.",
    (
        *(
            mark
            for start, minutes, tone in (
                (0, 3, "quiet"),
                (3, 16, "in"),
                (19, 15, "out"),
                (34, 5, "in"),
                (39, 6, "quiet"),
            )
            for mark in (
                box(22 + 7 * start, 46, 7 * minutes, 40, "", tone),
                text(22 + 7 * (start + minutes / 2), 70, str(minutes)),
            )
        ),
        text(22, 18, "read all questions", at="start"),
        line(32, 24, 32, 44),
        text(99, 104, "facts and"),
        text(99, 119, "estimates"),
        text(207, 104, "write the"),
        text(207, 119, "kernel"),
        text(277, 18, "run by hand"),
        line(277, 24, 277, 44),
        text(316, 104, "open"),
        text(316, 119, "questions"),
        text(180, 139, "minutes"),
    ),
)

_CHAIN = Drawing(
    140,
    "Three programs and the files between them. A fixed text tests each interface.",
    "An arrow leads from train to a file of weights, from there to quantise, from there to a file of packed "
    "weights, and from there to serve. Below the first file: same logits. Below the second: nearly the "
    "same. Below serve: same tokens alone and in a batch.",
    (
        *(
            mark
            for x, name, tone in ((4, "train", "in"), (142, "quantise", "in"), (280, "serve", "out"))
            for mark in (box(x, 20, 76, 40, "", tone), text(x + 38, 44, name, tone="strong"))
        ),
        *(
            mark
            for x, name in ((92, "weights"), (230, "packed"))
            for mark in (
                text(x + 19, 14, name),
                cells(x, 26, "file", "quiet", width=38),
                arrow(x - 11, 40, x - 2, 40),
                arrow(x + 39, 40, x + 48, 40),
            )
        ),
        *(
            mark
            for x, first, second in (
                (111, "the same", "logits"),
                (244, "nearly the", "same logits"),
                (318, "the same", "tokens"),
            )
            for mark in (arrow(x, 98, x, 66), text(x, 116, first), text(x, 132, second))
        ),
        text(12, 116, "a fixed text", at="start", tone="strong"),
        text(12, 132, "gives", at="start", tone="strong"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "explain-a-kernel": _EVIDENCE,
    "mock-interview": _MINUTES,
    "tiny-llm": _CHAIN,
}
