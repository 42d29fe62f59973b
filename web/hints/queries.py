"""Reads about hints, and the rule that opens editorials."""

from collections.abc import Iterator
from datetime import datetime

from web.accounts.visibility import reads_all
from web.catalog.models import Problem
from web.catalog.queries import Viewer, may_discuss
from web.hints.models import GivenUp, OpenedHint
from web.tracks.queries import in_contest


def count_opened(viewer: Viewer, problem: Problem) -> int:
    """Return how many of the hints of `problem` `viewer` has opened. They are the first ones."""
    if not viewer.is_authenticated or not problem.hints:
        return 0
    numbers = OpenedHint.objects.filter(user=viewer.pk, problem=problem)
    return min(len(problem.hints), max(numbers.values_list("number", flat=True), default=0))


def closed_by_contest(viewer: Viewer, problem: Problem) -> bool:
    """Return whether a running contest keeps hints from `viewer`. Instructors and staff read them anyway."""
    return not reads_all(viewer) and in_contest(problem)


def has_given_up(viewer: Viewer, problem: Problem) -> bool:
    """Return whether `viewer` gave up on `problem`."""
    if not viewer.is_authenticated:
        return False
    return GivenUp.objects.filter(user=viewer.pk, problem=problem).exists()


def gave_up_at(user_id: int, problem: Problem) -> datetime | None:
    """Return when a user gave up on `problem`, None if the user did not. For instructors and staff."""
    found = GivenUp.objects.filter(user=user_id, problem=problem).values_list("created", flat=True)
    return found.first()


def editorial_open(viewer: Viewer, problem: Problem) -> bool:
    """Return whether the page with the editorial of `problem`, which has its marks, is open for `viewer`.

    It opens for users who solved the problem or gave up on it, for instructors and for staff. During a
    contest, it is closed for those who only gave up.
    """
    if may_discuss(viewer, problem):
        return True
    return has_given_up(viewer, problem) and not in_contest(problem)


def may_read_editorial(viewer: Viewer, problem: Problem) -> bool:
    """Return whether there is an editorial of `problem`, and it is open for `viewer`."""
    return bool(problem.editorial) and editorial_open(viewer, problem)


def readable_texts(viewer: Viewer, problem: Problem) -> Iterator[str]:
    """Yield the texts of `problem`, which has its marks, that `viewer`, who may see it, may read.

    These are the statement in all languages, the opened hints and, if it is open, the editorial.
    """
    yield problem.statement
    yield from problem.translations.values()
    if reads_all(viewer):
        yield from problem.hints
    elif problem.hints and not closed_by_contest(viewer, problem):
        yield from problem.hints[: count_opened(viewer, problem)]
    if may_read_editorial(viewer, problem):
        yield problem.editorial
