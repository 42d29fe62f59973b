"""The figures of the readings of days 87 to 97."""

from collections.abc import Mapping

from django.utils.safestring import SafeString

from web.learn.drawing import Drawing, arrow, box, cells, curve, line, text

_MINUS = "\N{MINUS SIGN}"

_ELASTIC = Drawing(
    136,
    "A rank fails in step 1234. All ranks start again from the checkpoint after step 1200.",
    "A line of steps from 1100 to 1234, with checkpoints at 1100 and 1200 and a failure at 1234. Below, "
    "the run continues from 1200. The steps from 1201 to 1233 run twice.",
    (
        line(20, 48, 268, 48, "strong"),
        *(box(20 + 120 * i - 8, 40, 16, 16, "", "out") for i in range(2)),
        *(text(20 + 120 * i, 32, word) for i, word in enumerate(("1100", "1200"))),
        box(260, 40, 16, 16, "", "bad"),
        text(268, 32, "failure, 1234", tone="bad"),
        arrow(262, 60, 148, 92),
        text(222, 88, "load", at="start"),
        arrow(148, 104, 346, 104, "strong"),
        box(132, 96, 16, 16, "", "out"),
        text(122, 108, "1200", at="end"),
        text(208, 126, "steps 1201 to 1233 again"),
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


_MUTANTS = Drawing(
    136,
    "Which sizes find which mutant, for blocks of 256 threads. For the wrong guard, the test must check "
    "the memory after the output.",
    "A table with three mutants and the sizes 1, 255, 256, 257 and 785. Blocks rounded down: found by all "
    "sizes but 256. Guard with less or equal: found by all sizes but 256, if writes after the output are "
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


def _requests(y: float, *runs: tuple[str, int, int, str]) -> tuple[SafeString, ...]:
    return tuple(
        mark
        for name, start, end, tone in runs
        for mark in (
            box(64 + 25 * start, y, 25 * (end - start), 22, "", tone),
            text(64 + 12.5 * (start + end), y + 15, name),
        )
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


_ALERT = Drawing(
    166,
    "A temperature and its limit. The short peak stays pending, and the long one fires after the time of "
    "the rule.",
    "A curve over time with a dashed line for the limit. It exceeds the limit for a short time, without an "
    "alert. Later it exceeds the limit for a long time: first the alert is pending, then it fires.",
    (
        line(40, 12, 40, 116),
        line(40, 116, 348, 116),
        line(40, 56, 348, 56, "bad"),
        text(46, 50, "limit", at="start", tone="bad"),
        curve(
            ((40, 92), (90, 84), (104, 40), (122, 36), (134, 82), (190, 90), (206, 44), (270, 34), (348, 38)),
            "strong",
        ),
        box(101, 124, 26, 16, "", "quiet"),
        box(202, 124, 66, 16, "", "quiet"),
        box(268, 124, 80, 16, "", "bad"),
        text(114, 156, "pending"),
        text(235, 156, "pending"),
        text(308, 156, "fires", tone="bad"),
    ),
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


_CHECKER = Drawing(
    172,
    "The steps of the trusted side around a call. Each of them stops a kind of cheating.",
    "Two processes. Left, the trusted process with four steps: draw fresh inputs and fill the output with "
    "random bits, compute the expected result from a copy, wait for the whole device, compare and check the "
    "inputs. Right, the program of the user in another process, between the first and the last step.",
    (
        text(100, 16, "trusted process", tone="strong"),
        *(box(10, 26 + 36 * i, 180, 30, "", "quiet") for i in range(4)),
        *(
            text(100, 45 + 36 * i, words)
            for i, words in enumerate(
                (
                    "fresh inputs, random output",
                    "expected result, from a copy",
                    "wait for the whole device",
                    "compare, and check inputs",
                )
            )
        ),
        text(290, 16, "other process", tone="strong"),
        box(240, 62, 106, 66, "", "in"),
        text(293, 92, "the program"),
        text(293, 108, "of the user"),
        arrow(194, 44, 236, 76, "strong"),
        arrow(236, 114, 194, 132),
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


_PODS = Drawing(
    158,
    "Two pods with three GPUs each leave two GPUs of the machine free. A third pod does not fit.",
    "At the top, three pods, each asking for 3 GPUs. Arrows lead from the first two to a machine with eight "
    "GPUs: 0 to 2 belong to pod 1, 3 to 5 to pod 2, and 6 and 7 are free. The third pod is pending.",
    (
        *(
            mark
            for pod, tone in enumerate(("in", "out", "bad"))
            for mark in (
                box(34 + 112 * pod, 6, 84, 42, "", tone),
                text(76 + 112 * pod, 24, f"pod {pod + 1}", tone="strong"),
                text(76 + 112 * pod, 40, "3 GPUs" if pod < 2 else "pending"),
            )
        ),
        arrow(76, 51, 90, 68),
        arrow(188, 51, 188, 68),
        box(28, 72, 304, 82, "", ""),
        text(256, 94, "machine with 8 GPUs"),
        cells(44, 104, "0 1 2", "in", width=34),
        cells(146, 104, "3 4 5", "out", width=34),
        cells(248, 104, "6 7", "quiet", width=34),
        text(282, 148, "free"),
        text(95, 148, "pod 1"),
        text(197, 148, "pod 2"),
    ),
)


FIGURES: Mapping[str, Drawing] = {
    "elastic-training": _ELASTIC,
    "mps-arithmetic": _MPS,
    "gpu-pod": _PODS,
    "write-the-tests": _MUTANTS,
    "gpu-alerts": _ALERT,
    "find-the-straggler": _STRAGGLER,
    "continuous-batching": _BATCHING,
    "canary": _CANARY,
    "harden-the-checker": _CHECKER,
    "batch-deadline": _DEADLINE,
    "spot-planner": _SPOT,
}
