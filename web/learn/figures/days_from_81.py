"""The figures of the readings of days 81 to 85."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import CELL, Drawing, arrow, box, cells, line, text

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
    "Sixteen layers in segments of four. During the backward pass of segment 2, only its layers and the "
    "checkpoints are in memory.",
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
        cells(8, 118, "-", "out", width=20),
        text(34, 136, "checkpoint", at="start"),
        cells(112, 118, "-", "in", width=20),
        text(138, 136, "recomputed", at="start"),
        cells(226, 118, "-", "", width=20),
        text(252, 136, "not in memory", at="start"),
    ),
)


_FUSED = Drawing(
    156,
    "Three gradients share a buffer. One message averages all of them, and the parts are copied back.",
    "At the top, three tensors with 5, 3 and 8 elements. Arrows lead to a buffer of 16 elements with the "
    "offsets 0, 5 and 8. An arrow leads from the buffer to the all-reduce, in float16.",
    (
        box(20, 10, 90, 26, "", "in"),
        text(65, 28, "5 elements"),
        box(126, 10, 64, 26, "", "out"),
        text(158, 28, "3"),
        box(206, 10, 144, 26, "", "quiet"),
        text(278, 28, "8 elements"),
        arrow(65, 40, 81, 66),
        arrow(158, 40, 153, 66),
        arrow(278, 40, 252, 66),
        box(36, 70, 90, 26, "", "in"),
        box(126, 70, 54, 26, "", "out"),
        box(180, 70, 144, 26, "", "quiet"),
        text(36, 112, "0"),
        text(126, 112, "5"),
        text(180, 112, "8"),
        text(324, 112, "16"),
        arrow(240, 100, 240, 126, "strong"),
        text(240, 144, "all-reduce in float16", tone="strong"),
    ),
)


FIGURES: Mapping[str, Drawing] = {
    "ring-all-reduce": _RING,
    "ddp-buckets": _BUCKETS,
    "zero-optimiser": _SHARDS,
    "tensor-parallel-mlp": _TENSOR_PARALLEL,
    "checkpointing": _CHECKPOINTS,
    "fused-allreduce": _FUSED,
}
