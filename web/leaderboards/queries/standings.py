"""Standings of a problem.

A trusted clock on a GPU ranks, except for problems that rank by the score of their checker
(`web.leaderboards.queries.scored`). There is a board for each version of the problem, GPU model and language
with a score: times of different GPUs or versions are never compared. Without any score, the standings list
the users who solved the problem, in the order of time, and say that nothing is ranked.

A place depends on all places before it, since a tie is anchored at its fastest score. So the queries read the
scores of a whole board, and all other columns only of the rows on the page.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Value, When

from judge.report import Score
from judge.scoring import rank
from problems.vocabulary import Language
from web.accounts import visibility as profiles
from web.accounts.visibility import Viewer
from web.catalog.models import Problem
from web.fleet.models import Gpu
from web.leaderboards import cursors
from web.leaderboards.queries.baselines import baselines
from web.leaderboards.queries.boards import Board, Standing, Standings, choose, full_version
from web.leaderboards.queries.scored import scored
from web.leaderboards.queries.solvers import Solver, Solvers, solvers
from web.submissions.models import Best
from web.submissions.queries import visible_submissions

MAX_ROWS = 50
_ORDER = ("score_us", "handed_in", "submission_id")
FUNCTIONAL = "Without a GPU, nothing is ranked. Users who solved the problem, earliest first."
UNTIMED = "No submission has been timed yet. Users who solved the problem, earliest first."
UNSCORED = "No submission has a score yet. Users who solved the problem, earliest first."
RANKED = (
    "The score is the geometric mean of the times of one call over the timed cases, with its 95 % interval. "
    "A score ties with the best score of a place if their intervals overlap."
)


def standings(
    problem: Problem,
    viewer: Viewer,
    *,
    gpu: str | None = None,
    language: Language | None = None,
    version: str | None = None,
    after: str = "",
    limit: int = MAX_ROWS,
) -> Standings:
    """Return a page of the board of `gpu`, `language` and `version`; without a board, the solvers.

    The default is the fullest board of the current version. A prefix of a version is enough. Takes four
    queries for any size.
    """
    if problem.ranks_by_score:
        found = scored(problem, viewer, gpu=gpu, language=language, version=version, after=after, limit=limit)
        return found or _unranked(solvers(problem, viewer, after=after, limit=limit), UNSCORED)
    boards = _boards(problem)
    if not boards:
        return _unranked(solvers(problem, viewer, after=after, limit=limit))
    board = choose(boards, gpu, language, full_version(boards, problem, version))
    rows = _visible(problem=problem, version=board.version, gpu_model=board.gpu, language=board.language)
    places = _Places.read(rows.filter(current=True))
    start = places.find(after)
    end = min(start + limit, len(places.keys))
    mine = places.users.index(viewer.pk) if viewer.pk in places.users else None
    shown = range(start, end) if mine is None else {*range(start, end), mine}
    read, records = _read(rows.filter(Q(pk__in=[places.keys[at] for at in shown]) | Q(record=True)), viewer)
    return Standings(
        ranked=True,
        note=RANKED,
        rows=tuple(places.place(at, read) for at in range(start, end)),
        board=board,
        boards=boards,
        total=len(places.keys),
        start=start,
        mine=None if mine is None else places.place(mine, read),
        around_me="" if mine is None else places.cursor(mine - mine % limit),
        records=records,
        baselines=baselines(problem, board.gpu, board.version, language=board.language, viewer=viewer),
        previous=places.cursor(max(start - limit, 0)) if start else None,
        next=places.cursor(end) if end < len(places.keys) else None,
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Return all places of a board, best first, as columns. `keys` are those of `Best`."""

    keys: tuple[int, ...]
    users: tuple[int, ...]
    scores: tuple[float, ...]
    ranks: tuple[int, ...]
    holders: Counter[int]

    @classmethod
    def read(cls, rows: QuerySet[Best]) -> "_Places":
        read = list(
            rows.order_by(*_ORDER).values_list("pk", "user", *_ORDER[:1], "score_low_us", "score_high_us")
        )
        ranks = tuple(rank([Score(*figures) for _, _, *figures in read]))
        keys, users, scores = zip(*(row[:3] for row in read), strict=True) if read else ((), (), ())
        return cls(keys, users, scores, ranks, Counter(ranks))

    def find(self, cursor: str) -> int:
        """Return the position at which the page of `cursor` begins."""
        return cursors.find(self.scores, cursor)

    def cursor(self, start: int) -> str:
        """Return the cursor of the page that begins at `start`."""
        return cursors.before(self.scores, start)

    def place(self, at: int, read: Mapping[int, Standing]) -> Standing:
        """Return the row at `at`, with its rank."""
        ranked = self.ranks[at]
        return replace(read[self.keys[at]], rank=ranked, tied=self.holders[ranked] > 1)


def _unranked(found: Solvers, note: str = "") -> Standings:
    return Standings(
        ranked=False,
        note=note or (UNTIMED if Gpu.objects.exists() else FUNCTIONAL),
        rows=tuple(map(_solved, found.rows)),
        mine=_solved(found.mine) if found.mine else None,
        previous="" if found.continued else None,
        next=found.next,
    )


def _solved(solver: Solver) -> Standing:
    return Standing(solver.username, solver.language, solver.solved, profiled=solver.profiled)


def _visible(**board: Any) -> QuerySet[Best]:
    return Best.objects.filter(profiles.ranked_users("user"), **board)


def _boards(problem: Problem) -> tuple[Board, ...]:
    """Return every board with a score, of all versions, by name."""
    rows = _visible(problem=problem, current=True).values("gpu_model", "language", "version")
    counted = rows.annotate(users=Count("pk"), latest=Max("handed_in"))
    return tuple(
        Board(row["gpu_model"], row["language"], row["users"], row["version"], row["latest"])
        for row in counted.order_by("gpu_model", "language", "-latest")
    )


def _read(rows: QuerySet[Best], viewer: Viewer) -> tuple[dict[int, Standing], tuple[Standing, ...]]:
    """Return the displayed columns of these rows, by their keys, and their records, newest first."""
    readable = Exists(visible_submissions(viewer).filter(pk=OuterRef("submission")))
    named = rows.select_related("user").annotate(
        public_id=Case(When(readable, F("submission__public_id")), default=Value(""))
    )
    newest = list(named.order_by("-handed_in", "-submission_id"))
    read = {row.pk: _standing(row, row.public_id, viewer) for row in newest}
    return read, tuple(read[row.pk] for row in newest if row.record)


def _standing(row: Best, public_id: str, viewer: Viewer) -> Standing:
    return Standing(
        username=row.user.username,
        language=row.language,
        solved=row.handed_in,
        score=Score(row.score_us, row.score_low_us, row.score_high_us),
        roofline_percent=row.roofline_percent,
        driver=row.driver,
        toolkit=row.toolkit,
        version=row.version,
        public_id=public_id,
        profiled=profiles.may_see_profile(viewer, row.user),
    )
