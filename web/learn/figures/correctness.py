"""The figures of the concepts that make programs correct."""

from collections.abc import Mapping

from web.learn.drawing import CELL, Drawing, arrow, arrows, cells, line, text

_BOUNDS = Drawing(
    112,
    "With blocks of 4 threads, 6 elements need 2 blocks. Two threads have no element.",
    "Eight threads in two blocks above an array of six elements. Threads 0 to 5 point to an element. "
    "Threads 6 and 7 point past the end of the array and are marked as faulty.",
    (
        text(124, 14, "block 0"),
        text(236, 14, "block 1"),
        cells(68, 22, "0 1 2 3 4 5 !6 !7", "in"),
        line(180, 18, 180, 54, "strong"),
        *(arrow(82 + CELL * i, 53, 82 + CELL * i, 77, "" if i < 6 else "bad") for i in range(8)),
        cells(68, 80, "0 1 2 3 4 5", "quiet"),
        text(60, 40, "threads", at="end"),
        text(60, 98, "array", at="end"),
    ),
)

_UNINITIALISED = Drawing(
    126,
    "Threads that the guard stopped wrote nothing, so the sum contains arbitrary bits.",
    "Six threads write to a shared array of eight cells: 3, 1, 4, 1, 5 and 9. The last two cells hold "
    "question marks. All eight cells flow into a sum, which is a question mark too.",
    (
        text(12, 14, "shared array after the guarded store", at="start"),
        cells(68, 24, "3 1 4 1 5 9 !? !?", "in"),
        *(arrow(82 + CELL * i, 55, 172 + 2 * i, 88, "" if i < 6 else "bad") for i in range(8)),
        cells(152, 92, "!?", width=56),
        text(144, 110, "sum", at="end", tone="strong"),
    ),
)

_SYNCHRONISATION = Drawing(
    150,
    "A barrier: no thread passes before all threads have arrived.",
    "Four threads as vertical lines. Each writes to its cell at another time. A horizontal line, the barrier "
    "__syncthreads, stops them until the last one has written. Below it, all threads read.",
    (
        *(text(96 + 56 * i, 14, f"thread {i}") for i in range(4)),
        *(
            mark
            for i, y in enumerate((24, 48, 32, 58))
            for mark in (
                cells(76 + 56 * i, y, "write", "in", width=40),
                arrow(96 + 56 * i, y + CELL + 1, 96 + 56 * i, 97),
                arrow(96 + 56 * i, 101, 96 + 56 * i, 115),
                cells(76 + 56 * i, 118, "read", "out", width=40),
            )
        ),
        line(60, 99, 300, 99, "strong"),
        text(62, 94, "barrier", at="end", tone="strong"),
    ),
)

_IN_PLACE = Drawing(
    132,
    "A reversal in place is safe if one thread owns both ends of a pair.",
    "An array of six elements. Three threads below it each own two elements: thread 0 the first and the "
    "last, thread 1 the second and the fifth, thread 2 the two in the middle. Arrows lead from each thread "
    "to both.",
    (
        cells(96, 14, "a b c d e f", "in"),
        *(
            arrows("", (180 + 56 * (i - 1), 92, 110 + 28 * i, 45), (180 + 56 * (i - 1), 92, 250 - 28 * i, 45))
            for i in range(3)
        ),
        cells(97, 96, "thread-0", "out", width=54),
        cells(153, 96, "thread-1", "out", width=54),
        cells(209, 96, "thread-2", "out", width=54),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "bounds": _BOUNDS,
    "uninitialised-memory": _UNINITIALISED,
    "synchronisation": _SYNCHRONISATION,
    "in-place": _IN_PLACE,
}
