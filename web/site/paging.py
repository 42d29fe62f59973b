"""The first rows of a list, whether there are more, and counts for the header."""

from typing import TypeVar

from django.db.models import Model, QuerySet

ROWS = 50
MOST_COUNTED = 99
M = TypeVar("M", bound=Model)


def first_rows(found: QuerySet[M]) -> tuple[list[M], bool]:
    """Return a page of `found`, and whether another one follows."""
    rows = list(found[: ROWS + 1])
    return rows[:ROWS], len(rows) > ROWS


def bounded_count(found: QuerySet[M]) -> int:
    """Return the number of rows of `found`, at most one more than `MOST_COUNTED`."""
    return found[: MOST_COUNTED + 1].count()


def count_in_words(count: int) -> str:
    """Return a bounded count as the header shows it: `3`, `99+`, or nothing for 0."""
    return f"{MOST_COUNTED}+" if count > MOST_COUNTED else str(count or "")
