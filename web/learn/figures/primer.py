"""The figures of the primer."""

from collections.abc import Mapping

from web.learn.drawing import Drawing, arrow, arrows, box, cells, line, text

TIMES = "\N{MULTIPLICATION SIGN}"

_MEMORY = Drawing(
    152,
    "The host launches kernels. The kernels read and write device memory.",
    "Two boxes. The left one is the host with the function solve and the memory of the CPU. The right one is "
    "the device with a kernel and device memory, which holds the arrays a, b and c. An arrow labelled launch "
    "leads from solve to the kernel, and arrows lead from the kernel to device memory and back.",
    (
        box(4, 4, 130, 144, "Host"),
        box(18, 34, 102, 34, "solve()", "out"),
        box(18, 88, 102, 54, "CPU memory", "quiet"),
        box(192, 4, 164, 144, "Device"),
        box(206, 34, 136, 34, "kernel", "in"),
        box(206, 88, 136, 54, "Device memory", "quiet"),
        cells(229, 110, "a b c", "in", width=30),
        arrow(122, 51, 203, 51, "strong"),
        text(163, 43, "launch"),
        arrows("", (246, 70, 246, 86), (302, 86, 302, 70)),
    ),
)

_GRID = Drawing(
    132,
    "A grid of three blocks with four threads each: gridDim.x is 3 and blockDim.x is 4.",
    "A grid that contains three blocks, numbered by blockIdx.x from 0 to 2. Each block contains four "
    "threads, numbered by threadIdx.x from 0 to 3 in every block.",
    (
        box(2, 2, 356, 128, "Grid"),
        *(
            mark
            for block in range(3)
            for mark in (
                box(10 + 116 * block, 28, 108, 92, f"Block {block}", "quiet"),
                text(10 + 116 * block + 54, 63, f"blockIdx.x = {block}"),
                cells(18 + 116 * block, 74, "0 1 2 3", "in", width=23),
                text(10 + 116 * block + 54, 115, "threadIdx.x"),
            )
        ),
    ),
)

_INDEX = Drawing(
    150,
    "Thread 2 of block 1 has the index 1 \N{MULTIPLICATION SIGN} 4 + 2 = 6.",
    "Three blocks of four threads above an array of twelve elements, numbered from 0 to 11. Thread 2 of "
    "block 1 is marked, and an arrow leads from it to element 6. The four threads of block 0 come before "
    "block 1, and two more threads come before it in its own block.",
    (
        *(
            mark
            for block in range(3)
            for mark in (
                text(64 + 116 * block, 14, f"block {block}"),
                cells(14 + 116 * block, 22, "0 1 2 3", "in", width=25),
            )
        ),
        cells(180, 22, "2", "out", width=25),
        cells(12, 94, "0 1 2 3 4 5 6 7 8 9 10 11", "quiet"),
        cells(180, 94, "6", "out"),
        arrow(193, 52, 194, 91, "strong"),
        text(
            12,
            142,
            f"blockIdx.x {TIMES} blockDim.x + threadIdx.x = 1 {TIMES} 4 + 2 = 6",
            at="start",
            tone="strong",
        ),
    ),
)

_GUARD = Drawing(
    126,
    "Ten elements, twelve threads: the guard stops threads 10 and 11.",
    "Three blocks of four threads above an array of ten elements. Threads 0 to 9 have an arrow to their "
    "element. Threads 10 and 11 point past the end of the array, where there is no element.",
    (
        *(text(68 + 112 * block, 14, f"block {block}") for block in range(3)),
        cells(12, 22, "0 1 2 3 4 5 6 7 8 9 !10 !11", "in"),
        *(arrow(26 + 28 * i, 53, 26 + 28 * i, 77) for i in range(10)),
        *(arrow(26 + 28 * i, 53, 26 + 28 * i, 77, "bad") for i in (10, 11)),
        *(line(12 + 112 * block, 18, 12 + 112 * block, 54, "strong") for block in (1, 2)),
        cells(12, 80, "0 1 2 3 4 5 6 7 8 9", "quiet"),
        text(322, 98, "nothing", tone="bad"),
        text(12, 124, "if (i < n): true for 0 to 9", at="start", tone="strong"),
    ),
)

_LAUNCH = Drawing(
    134,
    "Rounded down, 10 / 4 gives 2 blocks, and two elements are never computed. Rounded up, it gives 3.",
    "Two rows. In the first, two blocks of four threads cover elements 0 to 7 of ten, and elements 8 and 9 "
    "are marked as missing. In the second, three blocks cover all ten elements and two threads more.",
    (
        text(12, 14, "n / threads = 2 blocks", at="start", tone="strong"),
        cells(12, 22, "0 1 2 3 4 5 6 7 !8 !9", "in"),
        line(124, 18, 124, 54, "strong"),
        line(236, 18, 236, 54, "strong"),
        text(12, 80, "(n + threads \N{MINUS SIGN} 1) / threads = 3 blocks", at="start", tone="strong"),
        cells(12, 88, "0 1 2 3 4 5 6 7 8 9", "in"),
        cells(292, 88, "\N{EN DASH} \N{EN DASH}", "quiet"),
        line(124, 84, 124, 120, "strong"),
        line(236, 84, 236, 120, "strong"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "memory": _MEMORY,
    "grid": _GRID,
    "index": _INDEX,
    "guard": _GUARD,
    "launch": _LAUNCH,
}
