"""The users who solved a problem, in the order of time. The page shows them if nothing is ranked."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware

from problems.vocabulary import Mode, Verdict
from web.accounts import visibility as profiles
from web.accounts.visibility import Viewer
from web.catalog.models import Problem
from web.submissions.models import Progress, Submission


@dataclass(frozen=True, slots=True)
class Solver:
    """A user who solved the problem, with the time and language of the first solution.

    `profiled` is true if the viewer may see the profile.
    """

    username: str
    language: str
    solved: datetime
    profiled: bool


@dataclass(frozen=True, slots=True)
class Solvers:
    """A page of solvers, the viewer's own row from any page, and the cursor of the next page.

    `continued` is true if this is not the first page.
    """

    rows: tuple[Solver, ...]
    mine: Solver | None
    continued: bool
    next: str | None


def solvers(problem: Problem, viewer: Viewer, *, after: str, limit: int) -> Solvers:
    """Return the page that begins after the row of the cursor, which is a time and a name. Two queries."""
    ranked = Progress.objects.filter(profiles.ranked_users("user"), problem=problem, solved__isnull=False)
    solved = ranked.select_related("user").annotate(language=Subquery(_first_language()))
    rows = solved.order_by("solved", "user__username")
    begun = _parse(after)
    if begun:
        moment, name = begun
        rows = rows.filter(Q(solved__gt=moment) | Q(solved=moment, user__username__gt=name))
    page = list(rows[: limit + 1])
    mine = solved.filter(user=viewer.pk).first() if viewer.is_authenticated else None

    def present(row: Progress, language: str) -> Solver:
        moment = row.solved or row.latest  # the query selects only rows with the first
        return Solver(row.user.username, language, moment, profiles.may_see_profile(viewer, row.user))

    found = tuple(present(row, row.language) for row in page[:limit])
    return Solvers(
        rows=found,
        mine=present(mine, mine.language) if mine else None,
        continued=begun is not None,
        next=f"{found[-1].solved.isoformat()}~{found[-1].username}" if len(page) > limit else None,
    )


def _first_language() -> QuerySet[Submission, str]:
    """Return the language in which the user of a row first solved its problem."""
    accepted = Submission.objects.filter(
        user=OuterRef("user"),
        problem=OuterRef("problem"),
        mode=Mode.SUBMIT.value,
        report__verdict=Verdict.ACCEPTED.value,
    )
    return accepted.order_by("created", "pk").values_list("language", flat=True)[:1]


def _parse(cursor: str) -> tuple[datetime, str] | None:
    text, _, name = cursor.replace("\0", "").partition("~")
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return (moment, name) if moment and is_aware(moment) else None
