"""Who solved a problem, in the order of time: what there is to show where nothing is ranked."""

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
    """The page that begins after the row of the cursor, which is a moment and a name. Two queries."""
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
        moment = row.solved or row.latest  # the first is there, as asked
        return Solver(row.user.username, language, moment, profiles.may_see_profile(viewer, row.user))

    found = tuple(present(row, row.language) for row in page[:limit])
    return Solvers(
        rows=found,
        mine=present(mine, mine.language) if mine else None,
        continued=begun is not None,
        next=f"{found[-1].solved.isoformat()}~{found[-1].username}" if len(page) > limit else None,
    )


def _first_language() -> QuerySet[Submission, str]:
    """The language in which the person of a row solved its problem first."""
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
