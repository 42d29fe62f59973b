"""Reads about what people show of themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, FilteredRelation, Q
from django.db.models.functions import Lower, TruncDate
from django.utils import timezone

from problems.vocabulary import Difficulty
from web.accounts.models import Audience, User
from web.catalog.models import Problem
from web.submissions.models import Submission
from web.tracks.models import Entry

Viewer = User | AnonymousUser
ACTIVITY_DAYS = 365


@dataclass(frozen=True, slots=True)
class Cell:
    """A problem in the grid. `solved` is when the person solved it, None before."""

    slug: str
    title: str
    solved: datetime | None


@dataclass(frozen=True, slots=True)
class Activity:
    """Submissions by day, and by language, runs included. `last` is today, the last of `ACTIVITY_DAYS`."""

    days: Mapping[date, int]
    languages: tuple[str, ...]
    last: date

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.days.values())


def may_see_profile(viewer: Viewer, user: User) -> bool:
    """Whether `viewer` may see the profile of `user`. Without the right it does not exist: answer 404."""
    if viewer.is_staff or viewer == user:
        return True
    if not user.is_active or user.profile_audience == Audience.NOBODY:
        return False
    return user.profile_audience == Audience.EVERYBODY or viewer.is_authenticated


def may_see_activity(viewer: Viewer, user: User) -> bool:
    """Whether `viewer`, who may see the profile, may see on which days there were submissions."""
    return viewer.is_staff or viewer == user or user.shows_activity


def ranked_users(path: str = "") -> Q:
    """The condition for people who appear in rankings: active, and not unwilling.

    `path` leads from the filtered model to the user: `Progress.objects.filter(ranked_users("user"))`.
    """
    prefix = f"{path}__" if path else ""
    return Q(**{f"{prefix}is_active": True, f"{prefix}in_rankings": True})


def find_profile(viewer: Viewer, username: str) -> User | None:
    """The person of that name, in any case; None when `viewer` may not see the profile."""
    if "\0" in username:  # which PostgreSQL does not take
        return None
    named = User.objects.alias(lower=Lower("username")).filter(lower=username.lower()).first()
    return named if named and may_see_profile(viewer, named) else None


def solved_grid(user: User) -> list[tuple[str, list[Cell]]]:
    """Every published problem under the title of its track, in order; elsewhere by difficulty.

    A problem of several tracks stands in the first. Two queries.
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


def activity(user: User, *, now: datetime | None = None) -> Activity:
    """What `user` handed in within a year. One query, on the index of a person's submissions."""
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
    return Activity(days, tuple(sorted(languages, key=lambda known: (-languages[known], known))), last)
