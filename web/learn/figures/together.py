"""The figures about threads that update or read the same values."""

from collections.abc import Mapping

from web.learn.drawing import CELL, Drawing, arrow, box, cells, text

_ATOMICS = Drawing(
    150,
    "Without an atomic operation, both threads read 7, and one addition is lost.",
    "Two threads increment a counter with the value 7. Left, without an atomic operation: both read 7 and "
    "both write 8. Right, with atomicAdd: the first changes 7 to 8, the second changes 8 to 9.",
    (
        text(88, 14, "counter++", tone="strong"),
        text(88, 42, "thread 0 reads 7"),
        text(88, 62, "thread 1 reads 7"),
        text(88, 82, "thread 0 writes 8"),
        text(88, 102, "thread 1 writes 8"),
        cells(74, 114, "!8"),
        text(272, 14, "atomicAdd(&counter, 1)", tone="strong"),
        box(206, 28, 132, 26, "", "in"),
        text(272, 45, "thread 0: 7 to 8"),
        box(206, 66, 132, 26, "", "in"),
        text(272, 83, "thread 1: 8 to 9"),
        arrow(272, 55, 272, 64),
        arrow(272, 93, 272, 111),
        cells(258, 114, "9", "out"),
    ),
)

_CONTENTION = Drawing(
    152,
    "Left: all threads wait for one counter. Right: each block has a copy, and the copies are added at the "
    "end.",
    "On the left, six threads point to one counter. On the right, two groups of three threads each point to "
    "a copy of the counter, and both copies point to the counter.",
    (
        cells(12, 8, "0 1 2 3 4 5", "in", width=24),
        *(arrow(24 + 24 * i, 38, 84, 109, "bad") for i in range(6)),
        cells(64, 112, "counter", "quiet", width=50),
        cells(196, 8, "0 1 2", "in", width=24),
        cells(276, 8, "3 4 5", "in", width=24),
        *(arrow(208 + 24 * i, 38, 232, 57) for i in range(3)),
        *(arrow(288 + 24 * i, 38, 312, 57) for i in range(3)),
        cells(208, 60, "copy", "out", width=48),
        cells(288, 60, "copy", "out", width=48),
        arrow(232, 90, 266, 109),
        arrow(312, 90, 278, 109),
        cells(247, 112, "counter", "quiet", width=50),
    ),
)

_SHUFFLE = Drawing(
    128,
    "__shfl_down_sync with distance 2: lane i reads the register of lane i + 2.",
    "Two rows of eight lanes. The upper row holds the values a to h. In the lower row, lanes 0 to 5 hold c "
    "to h, each from the lane two positions further right. Lanes 6 and 7 keep their own values.",
    (
        *(text(82 + CELL * i, 14, str(i)) for i in range(8)),
        text(58, 14, "lane", at="end"),
        cells(68, 22, "a b c d e f g h", "in"),
        *(arrow(82 + CELL * (i + 2), 52, 82 + CELL * i, 86) for i in range(6)),
        cells(68, 89, "c d e f g h", "out"),
        cells(68 + 6 * CELL, 89, "g h", "quiet"),
    ),
)

_LOAD_BALANCE = Drawing(
    164,
    "The same work: above, one thread determines the time. Below, all threads finish together.",
    "Two groups of four bars, one bar per thread. In the first, the bars of threads 0, 1 and 3 are short and "
    "that of thread 2 is long. In the second, all four bars have the same length, less than half of it.",
    (
        *(text(20, 19 + 18 * i, str(i), at="end") for i in range(4)),
        *(box(28, 8 + 18 * i, 320, 14, "", "quiet") for i in (0, 1, 3)),
        *(box(28, 8 + 18 * i, width, 14, "", "in") for i, width in ((0, 60), (1, 100), (3, 40))),
        box(28, 44, 320, 14, "", "bad"),
        text(238, 19, "idle"),
        *(text(20, 103 + 18 * i, str(i), at="end") for i in range(4)),
        *(box(28, 92 + 18 * i, 130, 14, "", "out") for i in range(4)),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "atomics": _ATOMICS,
    "contention": _CONTENTION,
    "warp-shuffle": _SHUFFLE,
    "load-balance": _LOAD_BALANCE,
}
