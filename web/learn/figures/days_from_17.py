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

_REGISTER_TILED = Drawing(
    158,
    "The same 16 results. With one result per thread, 32 loads "
    "per step. With tiles of 2 \N{MULTIPLICATION SIGN} 2, 16 loads.",
    "Two drawings of a square of four by four results. In the left one, every result belongs to a thread "
    "of its own, which loads two numbers. In the right one, four tiles of two by two results belong to "
    "one thread each, and each thread loads four numbers.",
    (
        text(86, 14, "1 result per thread", tone="strong"),
        *(cells(30, 22 + 28 * r, "2 2 2 2", "in") for r in range(4)),
        text(86, 153, "16 threads, 2 loads each"),
        text(264, 14, "4 results per thread", tone="strong"),
        *(box(206 + 58 * c, 22 + 58 * r, 56, 56, "", "out") for r in range(2) for c in range(2)),
        *(text(234 + 58 * c, 54 + 58 * r, "4 loads") for r in range(2) for c in range(2)),
        text(264, 153, "4 threads, 4 loads each"),
    ),
)
_ASYNC_PIPELINE = Drawing(
    156,
    "With two buffers, tile 1 is loaded into buffer 1 while the block computes with tile 0 in buffer 0.",
    "Above, without overlap: load 0, compute 0, load 1, compute 1, one after the other. Below, two rows "
    "for two buffers. Load 1 runs while tile 0 is computed, and load 2 runs while tile 1 is computed.",
    (
        text(66, 31, "one buffer", at="end"),
        cells(74, 12, "load-0 - load-1 - load-2", "quiet", width=54),
        cells(128, 12, "comp-0", "out", width=54),
        cells(236, 12, "comp-1", "out", width=54),
        line(12, 58, 348, 58),
        text(66, 91, "buffer 0", at="end"),
        cells(74, 72, "load-0", "quiet", width=54),
        cells(128, 72, "comp-0", "out", width=54),
        cells(182, 72, "load-2", "quiet", width=54),
        cells(236, 72, "comp-2", "out", width=54),
        text(66, 125, "buffer 1", at="end"),
        cells(128, 106, "load-1", "quiet", width=54),
        cells(182, 106, "comp-1", "out", width=54),
        cells(236, 106, "load-3", "quiet", width=54),
        cells(290, 106, "comp-3", "out", width=54),
        text(210, 151, "time goes to the right"),
    ),
)
_WARP_ROWS = Drawing(
    164,
    "A butterfly over eight lanes: after exchanges at distances 4, 2 and 1, each lane has the sum 31.",
    "Four rows of eight lanes. The first row holds 3, 1, 4, 1, 5, 9, 2, 6. After distance 4 it is 8, 10, "
    "6, 7, 8, 10, 6, 7. After distance 2 it is 14, 17, 14, 17 and again. After distance 1 every lane has "
    "31.",
    (
        cells(100, 4, "3 1 4 1 5 9 2 6", "in"),
        *(arrow(114 + 28 * i, 33, 114 + 28 * (i ^ 4), 47) for i in range(8)),
        text(90, 68, "distance 4", at="end"),
        cells(100, 49, "8 10 6 7 8 10 6 7", "quiet"),
        *(arrow(114 + 28 * i, 78, 114 + 28 * (i ^ 2), 90) for i in range(8)),
        text(90, 111, "distance 2", at="end"),
        cells(100, 92, "14 17 14 17 14 17 14 17", "quiet"),
        *(arrow(114 + 28 * i, 121, 114 + 28 * (i ^ 1), 132) for i in range(8)),
        text(90, 153, "distance 1", at="end"),
        cells(100, 134, "31 31 31 31 31 31 31 31", "out"),
    ),
)
_BLELLOCH = Drawing(
    176,
    "The down-sweep for 3, 1, 4, 1. Each node gets the sum of all elements before its range.",
    "A tree of three levels. The root has the sum 9 and receives 0. Its left child has the sum 4 and "
    "receives 0, its right child has the sum 5 and receives 4. The leaves have 3, 1, 4, 1 and receive 0, "
    "3, 4 and 8.",
    (
        text(12, 14, "sum of the range", at="start"),
        text(348, 14, "sum before it", at="end"),
        cells(146, 8, "9", "in", width=34),
        cells(180, 8, "0", "out", width=34),
        arrow(160, 38, 95, 67),
        arrow(200, 38, 265, 67),
        cells(55, 70, "4", "in", width=34),
        cells(89, 70, "0", "out", width=34),
        cells(237, 70, "5", "in", width=34),
        cells(271, 70, "4", "out", width=34),
        *(arrow(79 + 182 * s, 100, 48 + 182 * s, 133) for s in range(2)),
        *(arrow(99 + 182 * s, 100, 130 + 182 * s, 133) for s in range(2)),
        *(cells(x, 136, own, "in", width=34) for x, own in zip((12, 98, 194, 280), "3141", strict=True)),
        *(
            cells(x, 136, before, "out", width=34)
            for x, before in zip((46, 132, 228, 314), "0348", strict=True)
        ),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "child-kernels": _CHILD_KERNELS,
    "graph-replay": _GRAPH_REPLAY,
    "fix-the-pipeline": _FIX_THE_PIPELINE,
    "sgemm-capstone": _SGEMM_CAPSTONE,
    "register-tiled-gemm": _REGISTER_TILED,
    "async-pipeline-gemm": _ASYNC_PIPELINE,
    "warp-rows": _WARP_ROWS,
    "blelloch-scan": _BLELLOCH,
}
