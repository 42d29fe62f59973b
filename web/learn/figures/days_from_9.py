"""The figures of the readings of days 9 to 16."""

from collections.abc import Mapping

from web.learn.drawing import CELL, Drawing, arrow, box, cells, line, text

_WARP_DIVERGENCE = Drawing(
    142,
    "Above, both warps execute sides A and B. Below, each warp executes one side. Lanes without a letter "
    "are idle.",
    "Two warps of eight lanes in two drawings. In the first, the lanes of each warp alternate between "
    "sides A and B: each warp needs two passes, and half of the lanes are idle in each. In the second, "
    "all lanes of warp 0 take side A and all lanes of warp 1 take side B: each warp needs one pass.",
    (
        text(92, 14, "warp 0", tone="strong"),
        text(268, 14, "warp 1", tone="strong"),
        *(cells(12 + 176 * w, 22, "A - A - A - A -", "in", width=20) for w in range(2)),
        *(cells(32 + 176 * w + 40 * i, 22, "-", "quiet", width=20) for w in range(2) for i in range(4)),
        *(cells(12 + 176 * w, 54, "- B - B - B - B", "out", width=20) for w in range(2)),
        *(cells(12 + 176 * w + 40 * i, 54, "-", "quiet", width=20) for w in range(2) for i in range(4)),
        line(12, 95, 348, 95),
        cells(12, 108, "A A A A A A A A", "in", width=20),
        cells(188, 108, "B B B B B B B B", "out", width=20),
    ),
)

_OCCUPANCY = Drawing(
    128,
    "Blocks that each limit allows on an SM of an A100. The shortest bar decides: 6 blocks.",
    "Four bars. The limit of warps allows 10 blocks, the limit of blocks 32, the registers 6 and the "
    "shared memory 14. The bar of the registers is marked as the limiter.",
    (
        *(
            mark
            for i, (limit, count, tone) in enumerate(
                (
                    ("warps", 10, "in"),
                    ("blocks", 32, "in"),
                    ("registers", 6, "out"),
                    ("shared memory", 14, "in"),
                )
            )
            for mark in (
                text(92, 21 + 30 * i, limit, at="end", tone="strong" if tone == "out" else ""),
                box(100, 6 + 30 * i, 7 * count, 22, "", tone),
                text(106 + 7 * count, 21 + 30 * i, str(count), at="start"),
            )
        ),
        text(164, 81, "the limiter", at="start", tone="strong"),
    ),
)

_REDUCTION_SUM = Drawing(
    152,
    "Each thread adds in a register, each block adds its threads, and one atomic operation per block "
    "remains.",
    "Two blocks of four threads. The threads hold the partial sums 3, 1, 4, 1 and 5, 9, 2, 6. Arrows lead "
    "from them to the sums of the blocks, 9 and 22. One arrow from each block leads to the result, 31.",
    (
        text(84, 22, "registers", at="end"),
        cells(92, 4, "3 1 4 1", "in"),
        cells(228, 4, "5 9 2 6", "in"),
        *(
            arrow(106 + 136 * b + CELL * i, 34, 148 + 136 * b + 4 * (i - 1.5), 57)
            for b in range(2)
            for i in range(4)
        ),
        text(84, 78, "blocks", at="end"),
        cells(134, 60, "9", "quiet"),
        cells(270, 60, "22", "quiet"),
        arrow(150, 90, 210, 117, "strong"),
        arrow(282, 90, 222, 117, "strong"),
        text(84, 138, "result", at="end"),
        cells(202, 120, "31", "out"),
        text(286, 112, "2 atomics", at="start"),
    ),
)

_TRANSPOSE = Drawing(
    164,
    "Tiles with four banks instead of 32; each cell shows its bank. One more word per row spreads a "
    "column over all banks.",
    "Two tiles of four rows. In the left one, rows have four words, and the whole first column is in bank "
    "0. In the right one, rows have five words, and the words of the first column are in banks 0, 1, 2 "
    "and 3.",
    (
        text(78, 14, "rows of 4 words", tone="strong"),
        *(cells(22, 24 + CELL * r, "0 1 2 3", "quiet") for r in range(4)),
        *(cells(22, 24 + CELL * r, "0", "bad") for r in range(4)),
        text(78, 154, "column: 4 passes"),
        text(260, 14, "rows of 5 words", tone="strong"),
        *(cells(190, 24 + CELL * r, " ".join(str((r + c) % 4) for c in range(5)), "quiet") for r in range(4)),
        *(cells(190, 24 + CELL * r, str(r), "out") for r in range(4)),
        text(260, 154, "column: 1 pass"),
    ),
)

_MANAGED_VECTORS = Drawing(
    132,
    "A kernel touches pages 2 and 3. They move to the device, and the other pages stay.",
    "Two rows for six pages, host memory above and device memory below. Pages 0, 1, 4 and 5 are in host "
    "memory. Arrows lead from the empty positions 2 and 3 in host memory down to pages 2 and 3 in device "
    "memory.",
    (
        text(112, 32, "host memory", at="end"),
        cells(122, 14, "- - - - - -", "quiet", width=36),
        cells(122, 14, "0 1", "in", width=36),
        cells(266, 14, "4 5", "in", width=36),
        *(arrow(212 + 36 * i, 44, 212 + 36 * i, 81, "strong") for i in range(2)),
        text(184, 67, "page fault", at="end"),
        text(112, 102, "device memory", at="end"),
        cells(122, 84, "- - - - - -", "quiet", width=36),
        cells(194, 84, "2 3", "out", width=36),
        text(230, 128, "the kernel touches these"),
    ),
)
_STREAM_OVERLAP = Drawing(
    146,
    "Four chunks, each with three steps of equal length: 6 units of time instead of 12.",
    "Three rows with time from left to right: copy in, kernel, copy out. Chunks 0 to 3 follow each other "
    "in each row. Each row starts one step later than the row above, so that three chunks are worked on "
    "at the same time.",
    (
        *(text(78, 32 + 34 * i, name, at="end") for i, name in enumerate(("copy in", "kernel", "copy out"))),
        cells(88, 14, "0 1 2 3", "in", width=44),
        cells(132, 48, "0 1 2 3", "out", width=44),
        cells(176, 82, "0 1 2 3", "quiet", width=44),
        arrow(88, 126, 352, 126),
        text(220, 142, "time"),
    ),
)
_FIX_THE_STOPWATCH = Drawing(
    148,
    "A clock on the host measures the launch. Events in the stream measure the kernel.",
    "Two rows with time from left to right. On the host, two readings of the clock enclose a short "
    "launch. On the device, the kernel starts later and takes much longer. The events start and stop "
    "enclose the kernel.",
    (
        text(62, 47, "host", at="end"),
        box(80, 30, 50, 26, "", "quiet"),
        text(105, 47, "launch"),
        line(74, 24, 74, 62, "bad"),
        line(136, 24, 136, 62, "bad"),
        text(105, 16, "host clock", tone="bad"),
        text(62, 107, "device", at="end"),
        arrow(132, 58, 150, 88),
        box(150, 90, 180, 26, "", "in"),
        text(240, 107, "kernel"),
        line(144, 84, 144, 122, "strong"),
        line(336, 84, 336, 122, "strong"),
        text(144, 138, "start"),
        text(336, 138, "stop"),
    ),
)

_TEXTURE_LOOKUP = Drawing(
    140,
    "Linear filtering at x = 2.25: 0.25 \N{MULTIPLICATION SIGN} 20 + 0.75 \N{MULTIPLICATION SIGN} 40 = 35. "
    "The centres of the pixels are at 0.5, 1.5 and 2.5.",
    "Three wide pixels with the values 10, 20 and 40. Marks below them show the positions 0 to 3. Longer "
    "marks show the centres at 0.5, 1.5 and 2.5. An arrow from above points to position 2.25, between the "
    "last two centres.",
    (
        text(255, 14, "x = 2.25", tone="strong"),
        arrow(255, 20, 255, 46, "strong"),
        cells(30, 50, "10 20 40", "in", width=100),
        *(line(30 + 100 * i, 84, 30 + 100 * i, 92) for i in range(4)),
        *(text(30 + 100 * i, 106, str(i)) for i in range(4)),
        *(line(80 + 100 * i, 79, 80 + 100 * i, 92, "strong") for i in range(3)),
        *(text(80 + 100 * i, 106, f"{i}.5") for i in range(3)),
        text(180, 130, "weight 0.25"),
        text(280, 130, "weight 0.75"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "warp-divergence": _WARP_DIVERGENCE,
    "occupancy-tuning": _OCCUPANCY,
    "reduction-sum": _REDUCTION_SUM,
    "managed-vectors": _MANAGED_VECTORS,
    "stream-overlap": _STREAM_OVERLAP,
    "fix-the-stopwatch": _FIX_THE_STOPWATCH,
    "conflict-free-transpose": _TRANSPOSE,
    "texture-lookup": _TEXTURE_LOOKUP,
}
