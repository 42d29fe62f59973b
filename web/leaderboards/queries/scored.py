"""Standings of a problem that ranks by the score of its checker.

All submissions to a version get the same contents on the same kind of target (`judge.seeds`), so a board is
that of a version, a GPU model and a language, as for times. Nodes without a GPU share the board `CPU`: the
random numbers of NumPy and CuPy differ. A score has no interval: equal scores share a rank.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.db.models import Case, Count, Exists, F, Max, OuterRef, QuerySet, Value, When

from problems.vocabulary import Better, Language, Mode, Verdict
from web.accounts import visibility as profiles
from web.accounts.visibility import Viewer
from web.catalog.models import Problem
from web.leaderboards import cursors
from web.leaderboards.queries.boards import Board, Standing, Standings, choose, full_version
from web.submissions.models import Report
from web.submissions.queries import visible_submissions

CPU = "CPU"
SCORED = (
    "The score is the mean of the checker's numbers over the hidden cases. All submissions get the same "
    "hidden cases. Equal scores tie."
)


def scored(
    problem: Problem,
    viewer: Viewer,
    *,
    gpu: str | None,
    language: Language | None,
    version: str | None,
    after: str,
    limit: int,
) -> Standings | None:
    """Return a page of a board of `problem`, None if it has none. As `standings` does, in three queries."""
    boards = _boards(problem)
    if not boards:
        return None
    board = choose(boards, gpu, language, full_version(boards, problem, version))
    model = "" if board.gpu == CPU else board.gpu
    rows = _rows(problem).filter(version=board.version, gpu_model=model, submission__language=board.language)
    places = _Places.read(rows, higher=(problem.score or {}).get("better") == Better.HIGHER)
    start = cursors.find(places.costs, after)
    end = min(start + limit, len(places.keys))
    mine = places.users.index(viewer.pk) if viewer.pk in places.users else None
    shown = range(start, end) if mine is None else {*range(start, end), mine}
    read = _read(rows.filter(pk__in=[places.keys[at] for at in shown]), viewer)
    return Standings(
        ranked=True,
        note=SCORED,
        rows=tuple(places.place(at, read) for at in range(start, end)),
        board=board,
        boards=boards,
        total=len(places.keys),
        start=start,
        mine=None if mine is None else places.place(mine, read),
        around_me="" if mine is None else cursors.before(places.costs, mine - mine % limit),
        previous=cursors.before(places.costs, max(start - limit, 0)) if start else None,
        next=cursors.before(places.costs, end) if end < len(places.keys) else None,
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """All places of a board, best first, as columns. `costs` are the scores so that lower is better."""

    keys: tuple[int, ...]
    users: tuple[int, ...]
    costs: tuple[float, ...]
    ranks: tuple[int, ...]
    holders: Counter[int]

    @classmethod
    def read(cls, rows: QuerySet[Report], *, higher: bool) -> "_Places":
        order = ("-checker_score" if higher else "checker_score", "submission__created", "submission_id")
        sign = -1 if higher else 1
        best: dict[int, tuple[int, float]] = {}
        for key, user, value in rows.order_by(*order).values_list("pk", "submission__user", "checker_score"):
            best.setdefault(user, (key, sign * (value or 0.0)))  # the query selects only rows with a score
        costs = tuple(cost for _, cost in best.values())
        ranks = tuple(_ranks(costs))
        return cls(tuple(key for key, _ in best.values()), tuple(best), costs, ranks, Counter(ranks))

    def place(self, at: int, read: dict[int, Standing]) -> Standing:
        ranked = self.ranks[at]
        return replace(read[self.keys[at]], rank=ranked, tied=self.holders[ranked] > 1)


def _ranks(costs: Iterable[float]) -> Iterable[int]:
    """Yield the rank of each of `costs`, which ascend: equal ones share it, then comes a gap."""
    place = 1
    for _, group in groupby(costs):
        tied = len(list(group))
        yield from [place] * tied
        place += tied


def _rows(problem: Problem) -> QuerySet[Report]:
    return Report.objects.filter(
        profiles.ranked_users("submission__user"),
        submission__problem=problem,
        submission__mode=Mode.SUBMIT.value,
        verdict=Verdict.ACCEPTED.value,
        checker_score__isnull=False,
    )


def _boards(problem: Problem) -> tuple[Board, ...]:
    """Return every board with a score, of all versions, by name."""
    rows = _rows(problem).values("gpu_model", "submission__language", "version")
    counted = rows.annotate(users=Count("submission__user", distinct=True), latest=Max("submission__created"))
    return tuple(_board(row) for row in counted.order_by("gpu_model", "submission__language", "-latest"))


def _board(row: Mapping[str, Any]) -> Board:
    return Board(
        row["gpu_model"] or CPU, row["submission__language"], row["users"], row["version"], row["latest"]
    )


def _read(rows: QuerySet[Report], viewer: Viewer) -> dict[int, Standing]:
    """Return the displayed columns of these rows, by their keys."""
    readable = Exists(visible_submissions(viewer).filter(pk=OuterRef("submission")))
    named = rows.select_related("submission__user").defer("body", "submission__source")
    shown = named.annotate(public_id=Case(When(readable, F("submission__public_id")), default=Value("")))
    return {row.pk: _standing(row, row.public_id, viewer) for row in shown}


def _standing(row: Report, public_id: str, viewer: Viewer) -> Standing:
    submission = row.submission
    return Standing(
        username=submission.user.username,
        language=submission.language,
        solved=submission.created,
        checker_score=row.checker_score,
        driver=row.driver,
        toolkit=row.toolkit,
        version=row.version,
        public_id=public_id,
        profiled=profiles.may_see_profile(viewer, submission.user),
    )
