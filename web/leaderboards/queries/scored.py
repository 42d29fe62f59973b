"""Standings of a problem that ranks by the score of its checker.

All submissions to a version get the same contents on the same kind of target (`judge.seeds`), so a board is
that of a version, a GPU model and a language, as for times. Nodes without a GPU share the board `CPU`: the
random numbers of NumPy and CuPy differ. A score has no interval: equal scores share a rank.

The queries read `BestByChecker`, at most three rows for each user of a board. As for times, they read the
scores of a whole board, and all other columns only of the rows on the page.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Value, When

from problems.vocabulary import Better, Language
from web.accounts import visibility as profiles
from web.accounts.visibility import Viewer
from web.catalog.models import Problem
from web.leaderboards import cursors
from web.leaderboards.queries.boards import Board, Standing, Standings, choose, full_version
from web.submissions.models import BestByChecker
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
    rows = _rows(problem).filter(version=board.version, gpu_model=model, language=board.language)
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
    def read(cls, rows: QuerySet[BestByChecker], *, higher: bool) -> "_Places":
        best = rows.filter(highest=True) if higher else rows.filter(lowest=True)
        order = ("-checker_score" if higher else "checker_score", "handed_in", "submission_id")
        read = list(best.order_by(*order).values_list("pk", "user", "checker_score"))
        keys, users, scores = zip(*read, strict=True) if read else ((), (), ())
        costs = tuple(-score if higher else score for score in scores)
        ranks = tuple(_ranks(costs))
        return cls(keys, users, costs, ranks, Counter(ranks))

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


def _rows(problem: Problem) -> QuerySet[BestByChecker]:
    return BestByChecker.objects.filter(profiles.ranked_users("user"), problem=problem)


def _boards(problem: Problem) -> tuple[Board, ...]:
    """Return every board with a score, of all versions, by name."""
    rows = _rows(problem).values("gpu_model", "language", "version")
    counted = rows.annotate(users=Count("pk", filter=Q(lowest=True)), newest=Max("handed_in"))
    return tuple(
        Board(row["gpu_model"] or CPU, row["language"], row["users"], row["version"], row["newest"])
        for row in counted.order_by("gpu_model", "language", "-newest")
    )


def _read(rows: QuerySet[BestByChecker], viewer: Viewer) -> dict[int, Standing]:
    """Return the displayed columns of these rows, by their keys."""
    readable = Exists(visible_submissions(viewer).filter(pk=OuterRef("submission")))
    shown = rows.select_related("user").annotate(
        public_id=Case(When(readable, F("submission__public_id")), default=Value(""))
    )
    return {row.pk: _standing(row, row.public_id, viewer) for row in shown}


def _standing(row: BestByChecker, public_id: str, viewer: Viewer) -> Standing:
    return Standing(
        username=row.user.username,
        language=row.language,
        solved=row.handed_in,
        checker_score=row.checker_score,
        driver=row.driver,
        toolkit=row.toolkit,
        version=row.version,
        public_id=public_id,
        profiled=profiles.may_see_profile(viewer, row.user),
    )
