"""Who solved a problem, in the order of time: what there is to show where nothing is ranked."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min, Q
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware

from problems.vocabulary import Mode, Verdict
from web.catalog.models import Problem
from web.profiles import queries as profiles
from web.profiles.queries import Viewer
from web.submissions.models import Progress, Submission


@dataclass(frozen=True, slots=True)
class Solver:
    """Somebody who solved the problem: when, and in which language first.

    `profiled` when the viewer may see the profile.
    """

    username: str
    language: str
    solved: datetime
    profiled: bool


@dataclass(frozen=True, slots=True)
class Solvers:
    """A page of them, the viewer's own row wherever it is, and the cursor of the next page.

    `continued` when this is not the first page.
    """

    rows: tuple[Solver, ...]
    mine: Solver | None
    continued: bool
    next: str | None


def solvers(problem: Problem, viewer: Viewer, *, after: str, limit: int) -> Solvers:
    """The page that begins after the row of the cursor, which is a moment and a name. Three queries."""
    solved = Progress.objects.filter(profiles.ranked_users("user"), problem=problem, solved__isnull=False)
    solved = solved.select_related("user")
    rows = solved.order_by("solved", "user__username")
    begun = _parse(after)
    if begun:
        moment, name = begun
        rows = rows.filter(Q(solved__gt=moment) | Q(solved=moment, user__username__gt=name))
    page = list(rows[: limit + 1])
    mine = solved.filter(user=viewer.pk).first() if viewer.is_authenticated else None
    shown, more = page[:limit], len(page) > limit
    languages = _languages(problem, [row.user_id for row in (*shown, *([mine] if mine else []))])

    def present(row: Progress) -> Solver:
        moment = row.solved or row.latest  # the first is there, as asked
        seen = profiles.may_see_profile(viewer, row.user)
        return Solver(row.user.username, languages[row.user_id], moment, seen)

    found = tuple(map(present, shown))
    return Solvers(
        rows=found,
        mine=present(mine) if mine else None,
        continued=begun is not None,
        next=f"{found[-1].solved.isoformat()}~{found[-1].username}" if more else None,
    )


def _languages(problem: Problem, users: Iterable[int]) -> dict[int, str]:
    """The language in which each of these people solved `problem` first."""
    accepted = Submission.objects.filter(
        problem=problem,
        user__in=users,
        mode=Mode.SUBMIT.value,
        report__verdict=Verdict.ACCEPTED.value,
    )
    firsts = accepted.values("user", "language").annotate(first=Min("created")).order_by("-first")
    return {row["user"]: row["language"] for row in firsts}  # the earliest comes last, and stays


def _parse(cursor: str) -> tuple[datetime, str] | None:
    text, _, name = cursor.replace("\0", "").partition("~")
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return (moment, name) if moment and is_aware(moment) else None
