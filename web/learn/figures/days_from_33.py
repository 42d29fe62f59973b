"""The figures of the readings of days 33 to 40."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import Drawing, arrow, box, cells, line, text


def _lanes(y: float, first: int, tone: str) -> SafeString:
    return cells(60, y, " ".join(f"L{first + place // 2}" for place in range(8)), tone, width=36)


_MMA = Drawing(
    196,
    "Which lane holds which elements of D in m16n8k16. Four lanes share a row, and lane 1 also has two in "
    "row 8.",
    "Rows of a matrix with eight columns. Row 0 belongs to the lanes 0, 0, 1, 1, 2, 2, 3, 3. Row 1 belongs "
    "to the lanes 4 to 7, and so on until row 7, with the lanes 28 to 31. Row 8 again belongs to the lanes "
    "0 to 3. The elements of lane 1 are marked: columns 2 and 3 of row 0 and of row 8.",
    (
        *(text(78 + 36 * i, 14, str(i)) for i in range(8)),
        text(52, 14, "column", at="end"),
        text(52, 38, "row 0", at="end"),
        _lanes(20, 0, "quiet"),
        cells(132, 20, "L1 L1", "in", width=36),
        text(52, 66, "row 1", at="end"),
        _lanes(48, 4, "quiet"),
        text(204, 92, "…"),
        text(52, 120, "row 7", at="end"),
        _lanes(102, 28, "quiet"),
        text(52, 148, "row 8", at="end"),
        _lanes(130, 0, "quiet"),
        cells(132, 130, "L1 L1", "in", width=36),
        text(52, 176, "row 9", at="end"),
        _lanes(158, 4, "quiet"),
    ),
)

_GRAPH = Drawing(
    152,
    "Capture and instantiate once. Each step launches the same graph, and only a value in memory changes.",
    "Left, two boxes: capture and instantiate, once. An arrow leads to a graph of two kernels, which is "
    "launched for each step. Below, a cell in device memory with alpha, which the kernels read and which "
    "changes between steps.",
    (
        text(66, 16, "once", tone="strong"),
        box(14, 24, 104, 30, "", "quiet"),
        text(66, 43, "capture"),
        arrow(66, 57, 66, 70),
        box(14, 73, 104, 30, "", "quiet"),
        text(66, 92, "instantiate"),
        arrow(122, 72, 158, 56, "strong"),
        text(256, 16, "each step", tone="strong"),
        box(162, 24, 188, 56, "", "in"),
        cells(174, 38, "kernel", "out", width=70),
        arrow(246, 52, 264, 52),
        cells(267, 38, "kernel", "out", width=70),
        cells(211, 112, "alpha", "quiet", width=70),
        arrow(236, 108, 214, 70),
        arrow(258, 108, 294, 70),
        text(287, 130, "in memory", at="start"),
    ),
)

_PEERS = Drawing(
    158,
    "Two GPUs swap halves. Each copy goes into a buffer first, so that neither overwrites data that must "
    "still be sent.",
    "Left, GPU 0 with 1, 2, 3, 4, right, GPU 1 with 5, 6, 7, 8. Below each, a buffer for two elements. An "
    "arrow leads from 3, 4 to the buffer of GPU 1, and another from 5, 6 to the buffer of GPU 0.",
    (
        text(78, 16, "GPU 0", tone="strong"),
        text(282, 16, "GPU 1", tone="strong"),
        cells(14, 26, "1 2", "quiet", width=32),
        cells(78, 26, "3 4", "in", width=32),
        cells(218, 26, "5 6", "out", width=32),
        cells(282, 26, "7 8", "quiet", width=32),
        arrow(118, 58, 236, 104, "strong"),
        arrow(242, 58, 124, 104, "strong"),
        cells(78, 108, "5 6", "out", width=32),
        text(70, 126, "buffer", at="end"),
        cells(218, 108, "3 4", "in", width=32),
        text(290, 126, "buffer", at="start"),
        text(180, 152, "then each GPU copies from its buffer"),
    ),
)

_GRID_SYNC = Drawing(
    170,
    "Left, one launch with a barrier for the grid. Right, why an ordinary launch could wait forever.",
    "Left, four blocks: each computes the maximum, waits at a common line, and then divides. Right, an "
    "ordinary launch with six blocks on a GPU that holds four: the four wait at the barrier for the other "
    "two, and these wait until a block ends.",
    (
        text(84, 16, "cooperative", tone="strong"),
        *(box(12 + 38 * i, 26, 32, 44, "", "in") for i in range(4)),
        *(text(28 + 38 * i, 52, "max") for i in range(4)),
        line(6, 82, 164, 82, "strong"),
        text(84, 96, "grid.sync()", tone="strong"),
        *(box(12 + 38 * i, 104, 32, 44, "", "out") for i in range(4)),
        *(text(28 + 38 * i, 130, "÷ m") for i in range(4)),
        text(272, 16, "ordinary", tone="strong"),
        *(box(196 + 38 * i, 26, 32, 44, "", "in") for i in range(4)),
        line(190, 82, 350, 82, "bad"),
        text(272, 96, "wait for blocks 4 and 5", tone="bad"),
        *(box(234 + 38 * i, 104, 32, 32, "", "bad") for i in range(2)),
        *(text(250 + 38 * i, 124, str(4 + i)) for i in range(2)),
        text(272, 152, "wait until a block ends", tone="bad"),
    ),
)

_POOL = Drawing(
    152,
    "The second stream reads the memory, so the first one may free it only after an event of the second.",
    "Two rows, one for each stream. The first stream allocates, runs a writer, waits and frees. The second "
    "stream runs a reader, which begins after the writer. An arrow leads from the end of the reader to the "
    "free.",
    (
        text(12, 18, "stream", at="start", tone="strong"),
        box(12, 28, 62, 30, "", "quiet"),
        text(43, 47, "alloc"),
        box(80, 28, 74, 30, "", "in"),
        text(117, 47, "write"),
        line(158, 43, 268, 43),
        text(213, 36, "waits"),
        box(272, 28, 62, 30, "", "quiet"),
        text(303, 47, "free"),
        text(12, 98, "other", at="start", tone="strong"),
        box(172, 96, 84, 30, "", "out"),
        text(214, 115, "read"),
        arrow(152, 62, 180, 93),
        text(140, 84, "event", at="end"),
        arrow(252, 93, 284, 62, "strong"),
        text(280, 84, "event", at="start"),
        arrow(12, 142, 340, 142),
    ),
)


def _row(y: float, name: str, want: str, bad: str, cause: str) -> tuple[SafeString, ...]:
    return (
        text(10, y + 18, name, at="start", tone="strong"),
        cells(128, y, want, "out", width=34),
        cells(170, y, f"!{bad}", width=34),
        text(214, y + 18, cause, at="start"),
    )


_METRICS = Drawing(
    142,
    "Three metrics, each with a good value, a bad value and the code to look for.",
    "A table. Sectors per request: 4 is good, 32 is bad, from threads that read rows of their own. "
    "Wavefronts divided by the ideal: 1 is good, 32 is bad, from columns of a tile. Local bytes: 0 is "
    "good, 96 is bad, from arrays with a variable index.",
    (
        text(145, 16, "good"),
        text(187, 16, "bad", tone="bad"),
        *_row(24, "sectors / request", "4", "32", "a row for each thread"),
        *_row(62, "wavefront ratio", "1", "32", "columns of a tile"),
        *_row(100, "local bytes", "0", "96", "arrays with a variable"),
    ),
)

_EPILOGUE = Drawing(
    168,
    "The epilogue works on the sums in registers. Only the final result is written.",
    "Left, the inner loop over tiles of X and W, which adds to sums in registers. An arrow leads to the "
    "epilogue: add the bias, apply GELU, convert to float16. An arrow leads from there down to device "
    "memory, with the result Y. X, W and the bias b are read from device memory.",
    (
        box(12, 12, 128, 72, "", "quiet"),
        text(76, 30, "inner loop", tone="strong"),
        text(76, 50, "sum += x \N{MULTIPLICATION SIGN} w"),
        text(76, 68, "float32, registers"),
        arrow(144, 48, 174, 48, "strong"),
        box(178, 12, 170, 72, "", "in"),
        text(263, 30, "epilogue", tone="strong"),
        text(263, 50, "add bias, apply GELU,"),
        text(263, 68, "convert to float16"),
        cells(26, 116, "X", "quiet", width=46),
        cells(82, 116, "W", "quiet", width=46),
        cells(196, 116, "b", "quiet"),
        cells(286, 116, "Y", "out", width=46),
        arrow(50, 113, 58, 88),
        arrow(104, 113, 96, 88),
        arrow(210, 113, 214, 88),
        arrow(309, 88, 309, 113, "strong"),
        text(180, 162, "device memory"),
    ),
)

_WINDOWS = Drawing(
    158,
    "Windows of three pixels as the columns of a matrix. Pixel 3 is in three windows, but in memory once.",
    "Left, a row of the pixels 1 to 6. Right, a matrix with three rows and four columns. The rows are 1 2 3 "
    "4, then 2 3 4 5, then 3 4 5 6. Pixel 3 is marked in all three rows. Below, a row of three weights "
    "times the matrix gives a row of four results.",
    (
        text(92, 16, "pixels in memory", tone="strong"),
        cells(8, 54, "1 2 3 4 5 6", "in"),
        cells(64, 54, "3", "out"),
        arrow(184, 68, 214, 68, "strong"),
        text(290, 16, "windows", tone="strong"),
        *(
            mark
            for k in range(3)
            for mark in (
                cells(234, 26 + 28 * k, " ".join(str(k + p + 1) for p in range(4)), "quiet"),
                cells(234 + 28 * (2 - k), 26 + 28 * k, "3", "out"),
            )
        ),
        cells(8, 124, "w0 w1 w2", "quiet"),
        text(106, 142, "\N{MULTIPLICATION SIGN} windows =", at="start"),
        cells(234, 124, "y0 y1 y2 y3", ""),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "mma-by-hand": _MMA,
    "graph-update": _GRAPH,
    "peer-swap": _PEERS,
    "grid-sync-stats": _GRID_SYNC,
    "stream-ordered-alloc": _POOL,
    "three-slow-kernels": _METRICS,
    "gemm-bias-gelu": _EPILOGUE,
    "conv-layer-capstone": _WINDOWS,
}
