"""Reads about the activity of users."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, FilteredRelation, Q
from django.db.models.functions import TruncDate
from django.utils import timezone

from problems.vocabulary import Difficulty
from web.accounts.models import User
from web.catalog.models import Problem
from web.submissions.models import Submission
from web.tracks.models import Entry

ACTIVITY_DAYS = 365


@dataclass(frozen=True, slots=True)
class Cell:
    """A problem in the grid. `solved` is the time at which the user solved it, None before."""

    slug: str
    title: str
    solved: datetime | None


@dataclass(frozen=True, slots=True)
class SubmissionActivity:
    """Submissions by day, and by language, including runs. `last` is today, the last of `ACTIVITY_DAYS`."""

    days: Mapping[date, int]
    languages: tuple[str, ...]
    last: date

    @property
    def total(self) -> int:
        """Return the number of all submissions."""
        return sum(self.days.values())


def solved_grid(user: User) -> list[tuple[str, list[Cell]]]:
    """Return every published problem under the title of its track, in order; the others by difficulty.

    A problem of several tracks appears in the first. Two queries.
    """
    tracks = {
        problem: (order, slug, position, title)
        for problem, order, slug, position, title in Entry.objects.filter(track__published=True)
        .order_by("-track__order", "-track__slug", "-position")
        .values_list("problem", "track__order", "track__slug", "position", "track__title")
    }
    rows = (
        Problem.objects.filter(published=True)
        .alias(own=FilteredRelation("progress", condition=Q(progress__user=user)))
        .values_list("pk", "slug", "title", "difficulty", "own__solved")
        .order_by("slug")
    )
    placed = []
    for pk, slug, title, difficulty, solved in rows:
        easier = [*Difficulty].index(Difficulty(difficulty))
        place = (0, *tracks[pk]) if pk in tracks else (1, easier, slug, 0, difficulty.capitalize())
        placed.append((place, Cell(slug, title, solved)))
    grid: dict[str, list[Cell]] = {}
    for place, cell in sorted(placed, key=lambda entry: entry[0]):
        grid.setdefault(str(place[-1]), []).append(cell)
    return [*grid.items()]


def activity(user: User, *, now: datetime | None = None) -> SubmissionActivity:
    """Return the submissions of `user` within a year. One query, on the index of a user's submissions."""
    last = (now or timezone.now()).date()
    since = timezone.now() - timedelta(days=ACTIVITY_DAYS)
    rows = (
        Submission.objects.filter(user=user, created__gte=since)
        .order_by()
        .annotate(day=TruncDate("created"))
        .values_list("day", "language")
        .annotate(count=Count("pk"))
    )
    days: dict[date, int] = {}
    languages: dict[str, int] = {}
    for day, language, count in rows:
        days[day] = days.get(day, 0) + count
        languages[language] = languages.get(language, 0) + count
    return SubmissionActivity(
        days, tuple(sorted(languages, key=lambda known: (-languages[known], known))), last
    )
