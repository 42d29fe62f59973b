"""The first rows of a list, and whether there are more."""

from typing import TypeVar

from django.db.models import Model, QuerySet

ROWS = 50
M = TypeVar("M", bound=Model)


def first_rows(found: QuerySet[M]) -> tuple[list[M], bool]:
    """Return a page of `found`, and whether another one follows."""
    rows = list(found[: ROWS + 1])
    return rows[:ROWS], len(rows) > ROWS
