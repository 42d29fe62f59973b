"""The figures of the readings of days 17 to 24."""

from collections.abc import Mapping

from web.learn.drawing import Drawing, arrow, box, cells, line, text

_CHILD_KERNELS = Drawing(
    160,
    "Threads with little work do it themselves. Threads 1 and 4 launch a child grid for theirs.",
    "A parent grid of six threads with 3, 900, 5, 2, 700 and 4 elements. Arrows lead from thread 1 to a "
    "child grid for 900 elements and from thread 4 to a child grid for 700 elements.",
    (
        text(90, 22, "thread", at="end"),
        cells(100, 4, "0 1 2 3 4 5", "quiet", width=40),
        text(90, 50, "elements", at="end"),
        cells(100, 32, "3 - 5 2 - 4", "in", width=40),
        cells(140, 32, "900", "out", width=40),
        cells(260, 32, "700", "out", width=40),
        arrow(160, 62, 140, 95, "strong"),
        arrow(280, 62, 280, 95, "strong"),
        text(84, 126, "children", at="end"),
        box(92, 98, 130, 58, "", "quiet"),
        text(157, 117, "grid for 900"),
        cells(102, 124, "- - - - - - - - - - -", "out", width=10),
        box(232, 98, 116, 58, "", "quiet"),
        text(290, 117, "grid for 700"),
        cells(245, 124, "- - - - - - - - -", "out", width=10),
    ),
)
_GRAPH_REPLAY = Drawing(
    168,
    "Above, the device waits for each launch. Below, one launch of a graph starts all kernels.",
    "Two timelines. In the first, the host launches four kernels one after the other, and each kernel on "
    "the device is shorter than a launch, so there are gaps. In the second, the host launches a graph "
    "once, and four kernels follow each other almost without gaps.",
    (
        text(56, 23, "host", at="end"),
        *(box(64 + 66 * i, 8, 60, 22, "", "in") for i in range(4)),
        *(text(94 + 66 * i, 23, "launch") for i in range(4)),
        text(56, 57, "device", at="end"),
        *(box(126 + 66 * i, 42, 24, 22, "", "out") for i in range(4)),
        *(text(138 + 66 * i, 57, str(i)) for i in range(4)),
        line(12, 82, 348, 82),
        text(56, 113, "host", at="end"),
        box(64, 98, 92, 22, "", "in"),
        text(110, 113, "launch graph"),
        text(56, 147, "device", at="end"),
        *(box(160 + 26 * i, 132, 24, 22, "", "out") for i in range(4)),
        *(text(172 + 26 * i, 147, str(i)) for i in range(4)),
    ),
)
_FIX_THE_PIPELINE = Drawing(
    172,
    "Above, the host waits for each step, and the device is idle in between. Below, the host prepares ahead.",
    "Two timelines for three steps. In the first, the host prepares step 0, waits while the device works, "
    "prepares step 1, and so on. The device has gaps. In the second, the host prepares steps 0, 1 and 2 "
    "without waiting, and the device works without gaps.",
    (
        text(56, 23, "host", at="end"),
        *(box(64 + 94 * i, 8, 41, 22, "", "in") for i in range(3)),
        *(text(84.5 + 94 * i, 23, f"prep {i}") for i in range(3)),
        *(box(106 + 94 * i, 8, 51, 22, "", "quiet") for i in range(3)),
        *(text(131.5 + 94 * i, 23, "wait") for i in range(3)),
        text(56, 57, "device", at="end"),
        *(box(106 + 94 * i, 42, 51, 22, "", "out") for i in range(3)),
        *(text(131.5 + 94 * i, 57, f"step {i}") for i in range(3)),
        line(12, 84, 348, 84),
        text(56, 115, "host", at="end"),
        *(box(64 + 42 * i, 100, 41, 22, "", "in") for i in range(3)),
        *(text(84.5 + 42 * i, 115, f"prep {i}") for i in range(3)),
        text(56, 149, "device", at="end"),
        *(box(106 + 52 * i, 134, 51, 22, "", "out") for i in range(3)),
        *(text(131.5 + 52 * i, 149, f"step {i}") for i in range(3)),
    ),
)
_SGEMM_CAPSTONE = Drawing(
    178,
    "A block computes a tile of the result. It walks along a strip of A and a strip of B, one step of "
    "width K at a time.",
    "Matrix A on the left, matrix B above, and the result C in the corner between them. A horizontal "
    "strip of A and a vertical strip of B are marked, and in each a small tile of width K. Where the "
    "strips meet, a tile of C is marked.",
    (
        box(196, 4, 150, 70, "B", "quiet"),
        box(250, 4, 44, 70, "", "in"),
        box(250, 28, 44, 18, "", "out"),
        text(304, 41, "K", at="start"),
        box(110, 84, 76, 88, "A", "quiet"),
        box(110, 116, 76, 34, "", "in"),
        box(136, 116, 18, 34, "", "out"),
        text(145, 110, "K"),
        box(196, 84, 150, 88, "C", "quiet"),
        box(250, 116, 44, 34, "", "out"),
        text(272, 137, "tile"),
        text(98, 128, "tile of A in", at="end"),
        text(98, 144, "shared memory", at="end"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "child-kernels": _CHILD_KERNELS,
    "graph-replay": _GRAPH_REPLAY,
    "fix-the-pipeline": _FIX_THE_PIPELINE,
    "sgemm-capstone": _SGEMM_CAPSTONE,
}
