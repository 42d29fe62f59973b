"""Standings of a problem.

Only a trusted clock on a GPU ranks. Without one, a leaderboard lists who solved the problem, with
which language, in the order of time, and says that nothing is ranked.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min

from problems.vocabulary import Mode, Verdict
from web.catalog.models import Problem
from web.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Standing:
    """One user's first accepted submission in one language."""

    username: str
    language: str
    solved: datetime


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a problem. `note` says what they mean, for display above them."""

    ranked: bool
    note: str
    rows: tuple[Standing, ...]


NOT_RANKED = "Nothing is ranked without a GPU. These are the people who solved the problem, earliest first."


def standings(problem: Problem, *, limit: int = 100) -> Standings:
    """Who solved `problem`, each user once per language, in one query."""
    solved = (
        Submission.objects.filter(
            problem=problem,
            mode=Mode.SUBMIT.value,
            report__verdict=Verdict.ACCEPTED.value,
            user__is_active=True,
        )
        .values("user__username", "language")
        .annotate(first=Min("created"))
        .order_by("first")[:limit]
    )
    rows = tuple(Standing(row["user__username"], row["language"], row["first"]) for row in solved)
    return Standings(ranked=False, note=NOT_RANKED, rows=rows)
