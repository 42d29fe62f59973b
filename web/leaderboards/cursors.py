"""Cursors. A cursor gives the start of a page in a list by a sorting value instead of a number of rows.

So a page does not move when a row is added before it. A cursor is the sorting value of the last row before
the page, as text. If that row is the second one with this value, `~2` is appended, and so on. The first page
has the empty cursor. An invalid cursor also gives the first page.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

_MOST_CHARACTERS = 40


def find(values: Sequence[float], cursor: str) -> int:
    """Return the position in `values`, which ascend, at which the page of `cursor` begins."""
    value, count = _parse(cursor)
    if value is None:
        return 0
    first = bisect_left(values, value)
    return min(first + count, bisect_right(values, value))


def before(values: Sequence[float], start: int) -> str:
    """Return the cursor of the page that begins at the position `start`."""
    if not start:
        return ""
    value = values[start - 1]
    count = start - bisect_left(values, value)
    return f"{value!r}~{count}" if count > 1 else repr(value)


def _parse(cursor: str) -> tuple[float | None, int]:
    text, _, ordinal = cursor.partition("~") if len(cursor) <= _MOST_CHARACTERS else ("", "", "")
    try:
        value, count = float(text), int(ordinal or 1)
    except ValueError:
        return None, 0
    return (value, count) if math.isfinite(value) and count > 0 else (None, 0)
