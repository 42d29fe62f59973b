"""The figures of the readings of days 81 to 100."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import Drawing, box, line, text

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

FIGURES: Mapping[str, Drawing] = {
    "mps-arithmetic": _MPS,
    "find-the-straggler": _STRAGGLER,
}
