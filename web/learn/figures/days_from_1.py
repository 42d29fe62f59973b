"""The figures of the readings of days 1 to 8."""

from collections.abc import Mapping

from web.learn.drawing import CELL, Drawing, arrow, box, cells, line, text

_DEVICE_ARITHMETIC = Drawing(
    146,
    "Each warp waits three times as long as it computes. With four warps, this SM is never idle.",
    "Four rows, one for each warp, with time from left to right. Each warp computes, waits three times as "
    "long for memory, and computes again. Each warp starts when the one before it begins to wait. A fifth "
    "row shows that the SM is busy without a gap.",
    (
        *(text(58, 20 + 24 * i, f"warp {i}", at="end") for i in range(4)),
        *(box(66 + 36 * i, 8 + 24 * i, 36, 17, "", "in") for i in range(4)),
        *(box(102 + 36 * i, 8 + 24 * i, 108, 17, "", "quiet") for i in range(4)),
        *(box(210 + 36 * i, 8 + 24 * i, 36, 17, "", "in") for i in range(4)),
        text(84, 20, "run"),
        text(156, 20, "wait for memory"),
        text(228, 20, "run"),
        text(58, 130, "SM", at="end", tone="strong"),
        box(66, 116, 288, 20, "", "out"),
        text(210, 130, "busy", tone="strong"),
    ),
)

_WHO_AM_I = Drawing(
    132,
    "A block of 70 threads has three warps. The last one has 6 threads and 26 empty lanes.",
    "Three bars of 32 lanes each. Warp 0 has threads 0 to 31, and warp 1 has threads 32 to 63. In warp 2, "
    "only the first 6 lanes have threads, 64 to 69. The rest of the bar is empty.",
    (
        text(60, 14, "lane 0", at="start"),
        text(348, 14, "lane 31", at="end"),
        *(text(52, 39 + 38 * i, f"warp {i}", at="end") for i in range(3)),
        box(60, 20, 288, 30, "", "in"),
        text(204, 39, "threads 0 to 31"),
        box(60, 58, 288, 30, "", "in"),
        text(204, 77, "threads 32 to 63"),
        box(60, 96, 288, 30, "", "quiet"),
        box(60, 96, 54, 30, "", "in"),
        text(87, 115, "64 to 69"),
        text(231, 115, "26 lanes without a thread"),
    ),
)

_BOX_BLUR = Drawing(
    162,
    "Four blocks of 4 \N{MULTIPLICATION SIGN} 2 threads for an image with 7 columns "
    "and 3 rows. The numbers count the threads of a block; "
    "dashed threads have no pixel.",
    "A grid of two by two blocks. Each block has two rows of four threads, numbered 0 to 3 in the first "
    "row and 4 to 7 in the second. The threads of the last column and of the last row lie outside the "
    "image.",
    (
        text(156, 14, "blockIdx.x = 0"),
        text(276, 14, "blockIdx.x = 1"),
        text(90, 51, "blockIdx.y = 0", at="end"),
        text(90, 115, "blockIdx.y = 1", at="end"),
        cells(100, 20, "0 1 2 3", "in"),
        cells(100, 48, "4 5 6 7", "in"),
        cells(220, 20, "0 1 2", "in"),
        cells(304, 20, "3", "bad"),
        cells(220, 48, "4 5 6", "in"),
        cells(304, 48, "7", "bad"),
        cells(100, 84, "0 1 2 3", "in"),
        cells(100, 112, "4 5 6 7", "bad"),
        cells(220, 84, "0 1 2", "in"),
        cells(304, 84, "3", "bad"),
        cells(220, 112, "4 5 6 7", "bad"),
        text(100, 157, "x grows to the right, y downwards", at="start"),
    ),
)

_VECTOR_ADD = Drawing(
    132,
    "Ten elements and blocks of four threads: the last two threads have no element.",
    "Three blocks of four threads each. Below them, ten cells with the indices 0 to 9. Each of the first "
    "ten threads points to the cell with its index. The last two threads of block 2 point to no cell.",
    (
        *(box(12 + 114 * block, 20, 108, 44, "", "quiet") for block in range(3)),
        *(text(66 + 114 * block, 14, f"block {block}") for block in range(3)),
        *(cells(15 + 114 * block, 28, "0 1 2 3", "in", width=25.5) for block in range(2)),
        cells(243, 28, "0 1 !2 !3", "in", width=25.5),
        *(arrow(27.75 + 114 * (i // 4) + 25.5 * (i % 4), 60, 54 + CELL * i, 91) for i in range(10)),
        cells(40, 94, "0 1 2 3 4 5 6 7 8 9", "out"),
    ),
)

_FIX_TILED_PRODUCT = Drawing(
    186,
    "One barrier orders the first write and the reads. A second one must keep the next write from coming "
    "too early.",
    "Two drawings of thread 0 and thread 40 over time. In the first, thread 0 writes 7, a barrier "
    "follows, thread 0 writes 9, and only then thread 40 reads: it gets 9. In the second, another barrier "
    "comes after the read of thread 40, so that it gets 7, and thread 0 writes 9 after it.",
    (
        text(12, 14, "one barrier", at="start", tone="strong"),
        *(text(66, y, words, at="end") for y, words in ((39, "thread 0"), (69, "thread 40"))),
        box(74, 24, 62, 22, "", "in"),
        text(105, 39, "write 7"),
        line(146, 20, 146, 80, "strong"),
        box(156, 24, 62, 22, "", "bad"),
        text(187, 39, "write 9"),
        box(232, 54, 62, 22, "", "bad"),
        text(263, 69, "read: 9"),
        text(12, 108, "two barriers", at="start", tone="strong"),
        *(text(66, y, words, at="end") for y, words in ((133, "thread 0"), (163, "thread 40"))),
        box(74, 118, 62, 22, "", "in"),
        text(105, 133, "write 7"),
        line(146, 114, 146, 174, "strong"),
        box(156, 148, 62, 22, "", "out"),
        text(187, 163, "read: 7"),
        line(228, 114, 228, 174, "strong"),
        box(238, 118, 62, 22, "", "in"),
        text(269, 133, "write 9"),
    ),
)

_READ_A_PROFILE = Drawing(
    170,
    "The unit with the highest throughput decides what to try first.",
    "A question at the top: which throughput is high? Three arrows lead to three answers. Memory: fetch "
    "fewer sectors and reuse data. Arithmetic: execute fewer instructions. None: the limit is latency, so "
    "use more warps and more loads at a time.",
    (
        box(88, 6, 184, 32, "", "quiet"),
        text(180, 26, "Which throughput is high?", tone="strong"),
        arrow(136, 40, 62, 66),
        arrow(180, 40, 180, 66),
        arrow(224, 40, 298, 66),
        *(
            mark
            for i, (limit, first, second, third) in enumerate(
                (
                    ("memory", "fewer sectors", "per request,", "more reuse"),
                    ("arithmetic", "fewer or", "cheaper", "instructions"),
                    ("none: latency", "more warps,", "more loads", "at a time"),
                )
            )
            for mark in (
                box(6 + 118 * i, 69, 112, 96, "", "in"),
                text(62 + 118 * i, 90, limit, tone="strong"),
                text(62 + 118 * i, 114, first),
                text(62 + 118 * i, 132, second),
                text(62 + 118 * i, 150, third),
            )
        ),
    ),
)

_SHARED_REVERSE = Drawing(
    152,
    "Each value leaves global memory once and is read twice from shared memory.",
    "Three rows. The global inputs a, b, c, d have one arrow each to a cell of shared memory. Each cell "
    "of shared memory has two arrows to outputs. The outputs are a + b, b + c, c + d and d + a.",
    (
        text(106, 22, "global input", at="end"),
        cells(118, 4, "a b c d", "in", width=52),
        *(arrow(144 + 52 * i, 34, 144 + 52 * i, 56, "strong") for i in range(4)),
        text(106, 77, "shared memory", at="end"),
        cells(118, 59, "a b c d", "out", width=52),
        *(arrow(144 + 52 * i, 89, 144 + 52 * i, 117) for i in range(4)),
        *(arrow(144 + 52 * i, 89, 98 + 52 * i, 117) for i in (1, 2, 3)),
        arrow(144, 89, 290, 117),
        text(106, 138, "global output", at="end"),
        cells(118, 120, "a+b b+c c+d d+a", "quiet", width=52),
    ),
)
_HOST_SAXPY = Drawing(
    164,
    "Two copies cross the link. The kernel touches only device memory.",
    "The host on the left has two arrays, host_x and host_result. The device on the right has device_x, a "
    "kernel and device_result. Step 2 copies host_x to device_x. Step 3 is the kernel. Step 4 copies "
    "device_result to host_result. Steps 1 and 5 allocate and free the arrays of the device.",
    (
        box(4, 4, 118, 156, "Host"),
        box(14, 34, 98, 30, "host_x", "in"),
        box(14, 120, 98, 30, "host_result", "out"),
        box(216, 4, 140, 156, "Device"),
        box(230, 34, 112, 30, "device_x", "in"),
        box(230, 78, 112, 28, "3 kernel", "quiet"),
        box(230, 120, 112, 30, "device_result", "out"),
        arrow(114, 49, 227, 49, "strong"),
        text(169, 41, "2 copy"),
        arrow(286, 66, 286, 76),
        arrow(286, 108, 286, 118),
        arrow(227, 135, 114, 135, "strong"),
        text(169, 127, "4 copy back"),
        text(169, 84, "1 allocate"),
        text(169, 102, "5 free"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "device-arithmetic": _DEVICE_ARITHMETIC,
    "who-am-i": _WHO_AM_I,
    "vector-add": _VECTOR_ADD,
    "box-blur": _BOX_BLUR,
    "shared-reverse": _SHARED_REVERSE,
    "fix-tiled-product": _FIX_TILED_PRODUCT,
    "host-saxpy": _HOST_SAXPY,
    "read-a-profile": _READ_A_PROFILE,
}
