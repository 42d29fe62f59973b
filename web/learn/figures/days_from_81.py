"""The figures of the readings of days 81 to 100."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import CELL, Drawing, arrow, box, cells, curve, line, text

_MINUS = "\N{MINUS SIGN}"
_SUM = "\N{GREEK CAPITAL LETTER SIGMA}"


def _chunks(x: float, complete: tuple[int, ...]) -> tuple[SafeString, ...]:
    return tuple(
        cells(
            x + 22 * chunk,
            28 + CELL * rank,
            _SUM if (rank + 1) % 4 == chunk or chunk in complete else "-",
            "out" if (rank + 1) % 4 == chunk or chunk in complete else "in",
            width=22,
        )
        for rank in range(4)
        for chunk in range(4)
    )


_RING = Drawing(
    164,
    "Four ranks with four chunks each. After the first phase, each rank has the sum of one chunk, later of "
    "all.",
    "Three grids with a row for each rank and a column for each chunk. At the start, no chunk is complete. "
    "After the reduce-scatter, rank 0 has the sum of chunk 1, rank 1 that of chunk 2, rank 2 that of chunk "
    "3, and rank 3 that of chunk 0. After the all-gather, every rank has all four sums.",
    (
        *(text(40, 46 + CELL * rank, f"rank {rank}", at="end") for rank in range(4)),
        *(cells(46, 28 + CELL * rank, "- - - -", "in", width=22) for rank in range(4)),
        *_chunks(154, ()),
        *_chunks(262, (0, 1, 2, 3)),
        text(90, 18, "start", tone="strong"),
        text(198, 18, "reduce-scatter", tone="strong"),
        text(306, 18, "all-gather", tone="strong"),
        arrow(137, 84, 151, 84),
        arrow(245, 84, 259, 84),
        text(90, 156, "chunks 0 to 3"),
    ),
)

_BUCKETS = Drawing(
    134,
    "The all-reduce of a bucket runs while earlier layers are computed. Only that of the last bucket is "
    "exposed.",
    "Two rows over a time axis from 0 to 9. In the upper row, the backward pass computes buckets 1 to 4, "
    "each for two milliseconds. In the lower row, the network sums bucket 1 from 2 to 3, bucket 2 from 4 "
    "to 5, bucket 3 from 6 to 7, and bucket 4 from 8 to 9.",
    (
        text(66, 29, "backward", at="end"),
        *(box(74 + 60 * i, 10, 60, 30, "", "in") for i in range(4)),
        *(text(104 + 60 * i, 29, f"bucket {i + 1}") for i in range(4)),
        text(66, 75, "network", at="end"),
        *(box(134 + 60 * i, 56, 30, 30, "", "out" if i < 3 else "bad") for i in range(4)),
        *(text(149 + 60 * i, 75, str(i + 1)) for i in range(4)),
        line(74, 98, 346, 98),
        *(line(74 + 30 * t, 96, 74 + 30 * t, 100) for t in range(10)),
        *(text(74 + 30 * t, 114, str(t)) for t in (0, 2, 4, 6, 8, 9)),
        text(209, 130, "ms"),
    ),
)


def _memory(x: float, rank: int, state: int, rest: int) -> tuple[SafeString, ...]:
    left = x + 40 * rank
    return (
        box(left, 26, 34, 26, "", "in"),
        box(left, 54, 34, state, "", "out"),
        *((box(left, 54 + state, 34, rest, "", "quiet"),) if rest else ()),
        text(left + 17, 148, str(rank)),
    )


_SHARDS = Drawing(
    166,
    "Memory of four ranks, without shards and with a quarter of the optimiser's state on each rank.",
    "Two diagrams with four columns, one for each rank. Left, each column has weights and gradients, 4 "
    "bytes, and the full state, 12 bytes. Right, each column has the same weights and gradients, but a "
    "quarter of the state, 3 bytes.",
    (
        text(94, 16, "without shards", tone="strong"),
        *(mark for rank in range(4) for mark in _memory(18, rank, 78, 0)),
        text(272, 16, "with shards", tone="strong"),
        *(mark for rank in range(4) for mark in _memory(196, rank, 20, 0)),
        text(211, 100, "top: weights and", at="start"),
        text(211, 114, "gradients", at="start"),
        text(211, 130, "below: state", at="start"),
        text(180, 162, "rank"),
    ),
)

_TENSOR_PARALLEL = Drawing(
    166,
    "The first matrix is split by columns, the second by rows. The ranks exchange data only in the final "
    "sum.",
    "The input x goes to both ranks. Rank 0 multiplies by the left columns of W1, applies the activation, "
    "and multiplies by the upper rows of W2. Rank 1 does the same with the right columns and the lower "
    "rows. An all-reduce adds up both results and gives y.",
    (
        cells(6, 68, "x", "in", width=30),
        arrow(38, 76, 52, 54),
        arrow(38, 88, 52, 110),
        text(62, 20, "rank 0", at="start", tone="strong"),
        text(62, 156, "rank 1", at="start", tone="strong"),
        *(
            mark
            for y, first, second, tone in ((28, "left", "upper", "in"), (98, "right", "lower", "out"))
            for mark in (
                box(55, y, 83, 42, "", tone),
                text(96.5, y + 18, "W1", tone="strong"),
                text(96.5, y + 34, f"{first} columns"),
                arrow(140, y + 21, 149, y + 21),
                text(159, y + 25, "f"),
                arrow(168, y + 21, 178, y + 21),
                box(182, y, 74, 42, "", tone),
                text(219, y + 18, "W2", tone="strong"),
                text(219, y + 34, f"{second} rows"),
            )
        ),
        arrow(258, 52, 278, 74),
        arrow(258, 116, 278, 94),
        text(286, 88, "+", tone="strong"),
        arrow(294, 83, 314, 83),
        cells(318, 68, "y", "quiet", width=30),
        text(320, 120, "all-reduce"),
    ),
)

_CHECKPOINTS = Drawing(
    152,
    "Sixteen layers in segments of four. During the backward pass of segment 2, memory holds the checkpoints "
    "and its layers.",
    "A row of sixteen cells. Cells 0, 4, 8 and 12 are checkpoints. The layers 8 to 11 are marked as "
    "recomputed. The layers 13 to 15 are finished and their activations are freed. Those of the layers 1 "
    "to 3 and 5 to 7 were not kept.",
    (
        *(text(61 + 80 * i, 16, f"segment {i}") for i in range(4)),
        cells(21, 24, " ".join(str(i) for i in range(16)), "", width=20),
        *(cells(21 + 80 * i, 24, str(4 * i), "out", width=20) for i in range(4)),
        cells(201, 24, "9 10 11", "in", width=20),
        arrow(184, 76, 258, 76, "strong"),
        text(221, 70, "forward again"),
        arrow(258, 92, 184, 92, "strong"),
        text(221, 108, "backward"),
        cells(21, 118, "-", "out", width=20),
        text(47, 136, "checkpoint", at="start"),
        cells(131, 118, "-", "in", width=20),
        text(157, 136, "recomputed", at="start"),
        cells(251, 118, "-", "", width=20),
        text(277, 136, "not in memory", at="start"),
    ),
)

_MPS = Drawing(
    162,
    "Two small kernels of two processes: in time slices one after the other, under MPS at the same time.",
    "Two diagrams with the time to the right and the multiprocessors upwards. Left, in time slices, a "
    "kernel of process A fills the lower half, and after it a kernel of process B fills the lower half. "
    "Right, under MPS, the kernel of A fills the lower half and the kernel of B the upper half during the "
    "same time.",
    (
        text(88, 16, "time slices", tone="strong"),
        line(20, 24, 20, 128),
        line(20, 128, 164, 128),
        box(22, 76, 68, 50, "", "in"),
        text(56, 105, "A"),
        box(92, 76, 68, 50, "", "out"),
        text(126, 105, "B"),
        text(92, 58, "unused"),
        text(92, 146, "time"),
        text(272, 16, "MPS", tone="strong"),
        line(200, 24, 200, 128),
        line(200, 128, 344, 128),
        box(202, 76, 68, 50, "", "in"),
        text(236, 105, "A"),
        box(202, 26, 68, 48, "", "out"),
        text(236, 54, "B"),
        text(310, 80, "free"),
        text(272, 146, "time"),
    ),
)


def _rank(number: int, compute: int, end: int) -> tuple[SafeString, ...]:
    y = 24 + 32 * number
    return (
        text(50, y + 15, f"rank {number}", at="end"),
        box(58, y, 2 * compute, 22, "", "in"),
        *((box(58 + 2 * compute, y, 2 * (90 - compute), 22, "", "bad"),) if compute < 90 else ()),
        box(238, y, 2 * (end - 90), 22, "", "out"),
    )


_MUTANTS = Drawing(
    136,
    "Which sizes find which mutant, for blocks of 256 threads. For the wrong guard, the test must check "
    "the memory behind the output.",
    "A table with three mutants and the sizes 1, 255, 256, 257 and 785. Blocks rounded down: found by all "
    "sizes but 256. Guard with less or equal: found by all sizes but 256, if writes behind the output are "
    "checked. Maximum starts at 0: found by none of the sizes, but by negative values.",
    (
        *(text(188 + 36 * i, 18, str(size)) for i, size in enumerate((1, 255, 256, 257, 785))),
        text(160, 44, "blocks rounded down", at="end"),
        cells(170, 26, "\u2713 \u2713 - \u2713 \u2713", "out", width=36),
        text(160, 80, "guard i <= n", at="end"),
        cells(170, 62, "\u2713 \u2713 - \u2713 \u2713", "in", width=36),
        text(160, 116, "maximum starts at 0", at="end"),
        cells(170, 98, "- - - - -", "quiet", width=36),
    ),
)

_STRAGGLER = Drawing(
    156,
    "Three ranks in one step. Ranks 0 and 1 wait until rank 2 begins the all-reduce at 90.",
    "Three rows over a time axis from 0 to 130. Rank 0 computes until 40, rank 1 until 55, rank 2 until "
    "90. Ranks 0 and 1 then wait until 90. From 90 to 130, the all-reduce runs on all three.",
    (
        *_rank(0, 40, 130),
        *_rank(1, 55, 130),
        *_rank(2, 90, 130),
        text(98, 39, "compute"),
        text(188, 39, "wait", tone="bad"),
        text(278, 39, "all-reduce"),
        line(58, 120, 330, 120),
        *(line(58 + 2 * t, 118, 58 + 2 * t, 122) for t in (0, 40, 55, 90, 130)),
        *(text(58 + 2 * t, 136, str(t)) for t in (0, 40, 55, 90, 130)),
    ),
)


def _requests(y: float, *runs: tuple[str, int, int, str]) -> tuple[SafeString, ...]:
    return tuple(
        mark
        for name, start, end, tone in runs
        for mark in (
            box(64 + 25 * start, y, 25 * (end - start), 22, "", tone),
            text(64 + 12.5 * (start + end), y + 15, name),
        )
    )


_CANARY = Drawing(
    170,
    "The sum of evidence with two borders. A failure moves it far up, and a success moves it a little down.",
    "A curve over the number of requests. It starts at 0, falls slowly, jumps up at each failure, and "
    "finally reaches the upper border, where the version is rolled back. At the lower border it would be "
    "promoted.",
    (
        line(50, 24, 346, 24, "bad"),
        text(56, 18, "roll back: 4.55", at="start", tone="bad"),
        line(50, 132, 346, 132, "bad"),
        text(56, 148, f"promote: {_MINUS}2.99", at="start"),
        line(50, 90, 346, 90),
        text(44, 94, "0", at="end"),
        curve(
            (
                (50, 90),
                (100, 98),
                (100, 88),
                (140, 94),
                (140, 84),
                (150, 86),
                (150, 76),
                (190, 82),
                (190, 72),
                (205, 74),
                (205, 64),
                (220, 66),
                (220, 56),
                (245, 60),
                (245, 50),
                (262, 53),
                (262, 43),
                (275, 45),
                (275, 35),
                (290, 37),
                (290, 24),
            ),
            "strong",
        ),
        text(346, 164, "requests", at="end"),
    ),
)

_BATCHING = Drawing(
    176,
    "Four requests of 2, 8, 3 and 3 steps in two places. Continuous batching fills a place when it becomes "
    "free.",
    "Two diagrams over steps. In fixed batches, A takes the steps 0 to 2 and B 0 to 8; A's place stays "
    "empty until 8. Then C and D run from 8 to 11. With continuous batching, A runs from 0 to 2, C from 2 "
    "to 5 and D from 5 to 8 in the first place, and B from 0 to 8 in the second.",
    (
        text(12, 16, "fixed batches", at="start", tone="strong"),
        text(56, 39, "place 0", at="end"),
        text(56, 65, "place 1", at="end"),
        *_requests(24, ("A", 0, 2, "in"), ("empty", 2, 8, "bad"), ("C", 8, 11, "out")),
        *_requests(50, ("B", 0, 8, "quiet"), ("D", 8, 11, "out")),
        text(12, 98, "continuous", at="start", tone="strong"),
        text(56, 121, "place 0", at="end"),
        text(56, 147, "place 1", at="end"),
        *_requests(106, ("A", 0, 2, "in"), ("C", 2, 5, "out"), ("D", 5, 8, "out")),
        *_requests(132, ("B", 0, 8, "quiet")),
        *(text(64 + 25 * t, 170, str(t)) for t in (0, 2, 5, 8, 11)),
    ),
)

_DEADLINE = Drawing(
    144,
    "The oldest request arrived at 0 and has a deadline at 12. A batch of 16 must start earlier than one "
    "of 4.",
    "Two bars over a time axis from 0 to 12 milliseconds. A batch of 4 waits until 8 and runs until 12. A "
    "batch of 16 waits until 2 and runs until 12.",
    (
        text(80, 29, "4 requests", at="end"),
        line(88, 25, 256, 25),
        text(172, 18, "may wait"),
        box(256, 12, 84, 26, "", "out"),
        text(298, 29, "run"),
        text(80, 73, "16 requests", at="end"),
        line(88, 69, 130, 69),
        box(130, 56, 210, 26, "", "in"),
        text(235, 73, "run"),
        line(88, 98, 346, 98),
        *(line(88 + 21 * t, 96, 88 + 21 * t, 100) for t in (0, 2, 8, 12)),
        *(text(88 + 21 * t, 114, str(t)) for t in (0, 2, 8, 12)),
        text(340, 130, "deadline, ms", at="end"),
        line(340, 6, 340, 98, "bad"),
    ),
)

_SPOT = Drawing(
    150,
    "A job of four hours with an interruption after 2.5 hours, from scratch and with a checkpoint each hour.",
    "Two rows over a time axis from 0 to 7 hours. From scratch, 2.5 hours are lost and the job runs from "
    "2.5 to 6.5. With checkpoints, the hours 1 and 2 are kept, half an hour is lost, and the last two "
    "hours run from 2.5 to 4.5.",
    (
        text(12, 18, "from scratch", at="start", tone="strong"),
        box(20, 24, 115, 24, "", "bad"),
        text(77, 40, "lost", tone="bad"),
        box(135, 24, 184, 24, "", "in"),
        text(227, 40, "four hours"),
        text(12, 74, "checkpoints", at="start", tone="strong"),
        *(box(20 + 46 * i, 80, 46, 24, "", "out") for i in range(2)),
        box(112, 80, 23, 24, "", "bad"),
        *(box(135 + 46 * i, 80, 46, 24, "", "out") for i in range(2)),
        *(text(x, 96, word) for x, word in ((43, "1"), (89, "2"), (158, "3"), (204, "4"))),
        line(135, 18, 135, 112, "bad"),
        line(20, 118, 346, 118),
        *(text(20 + 46 * t, 134, str(t)) for t in range(8)),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "ring-all-reduce": _RING,
    "ddp-buckets": _BUCKETS,
    "zero-optimiser": _SHARDS,
    "tensor-parallel-mlp": _TENSOR_PARALLEL,
    "checkpointing": _CHECKPOINTS,
    "mps-arithmetic": _MPS,
    "write-the-tests": _MUTANTS,
    "find-the-straggler": _STRAGGLER,
    "continuous-batching": _BATCHING,
    "canary": _CANARY,
    "batch-deadline": _DEADLINE,
    "spot-planner": _SPOT,
}
