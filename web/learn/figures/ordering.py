"""The figures of the ways to sort."""

from collections.abc import Mapping

from web.learn.drawing import CELL, Drawing, arrow, cells, line, text

_SORTING = Drawing(
    132,
    "Sorting by rank: the position of an element is the number of smaller elements.",
    "The array 5, 2, 8, 3, 1 above its sorted form 1, 2, 3, 5, 8. An arrow leads from each element to its "
    "position. The ranks are 3, 1, 4, 2 and 0.",
    (
        cells(110, 14, "5 2 8 3 1", "in"),
        *(arrow(124 + CELL * i, 45, 124 + CELL * to, 87) for i, to in enumerate((3, 1, 4, 2, 0))),
        cells(110, 90, "1 2 3 5 8", "out"),
        text(100, 32, "array", at="end"),
        text(100, 108, "sorted", at="end"),
    ),
)

# Each comparison: its x, and the two lines that it connects.
_COMPARISONS = ((110, 0, 1), (110, 2, 3), (172, 0, 2), (188, 1, 3), (250, 1, 2))
_SORTING_NETWORK = Drawing(
    150,
    "A network for four elements: five comparisons in three steps.",
    "Four horizontal lines carry the values 3, 1, 4 and 2 from left to right. Vertical bars connect pairs "
    "of lines in three steps: first 0 with 1 and 2 with 3, then 0 with 2 and 1 with 3, then 1 with 2. On "
    "the right the values are 1, 2, 3 and 4.",
    (
        *(line(62, 22 + 32 * i, 298, 22 + 32 * i) for i in range(4)),
        *(cells(34, 8 + 32 * i, word, "in") for i, word in enumerate("3142")),
        *(cells(298, 8 + 32 * i, word, "out") for i, word in enumerate("1234")),
        *(arrow(x, 22 + 32 * high, x, 22 + 32 * low, "strong") for x, high, low in _COMPARISONS),
        *(arrow(x, 22 + 32 * low, x, 22 + 32 * high, "strong") for x, high, low in _COMPARISONS),
        text(110, 146, "step 1"),
        text(180, 146, "step 2"),
        text(250, 146, "step 3"),
    ),
)

_RADIX_SORT = Drawing(
    170,
    "Two passes, one per digit. Equal digits keep their order.",
    "The numbers 42, 17, 41, 12 and 27. After sorting by the last digit they are 41, 42, 12, 17, 27. After "
    "sorting by the first digit they are 12, 17, 27, 41, 42.",
    (
        cells(100, 8, "42 17 41 12 27", "in", width=44),
        *(arrow(122 + 44 * i, 38, 122 + 44 * to, 66) for i, to in enumerate((1, 3, 0, 2, 4))),
        cells(100, 68, "41 42 12 17 27", "quiet", width=44),
        *(arrow(122 + 44 * i, 98, 122 + 44 * to, 126) for i, to in enumerate((3, 4, 0, 1, 2))),
        cells(100, 128, "12 17 27 41 42", "out", width=44),
        text(90, 86, "by ones", at="end"),
        text(90, 146, "by tens", at="end"),
    ),
)

FIGURES: Mapping[str, Drawing] = {
    "sorting": _SORTING,
    "sorting-network": _SORTING_NETWORK,
    "radix-sort": _RADIX_SORT,
}
