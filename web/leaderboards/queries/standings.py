"""Standings of a problem.

Only a trusted clock on a GPU ranks. There is a board for each version of the problem, GPU model and language
with a score: times of different GPUs or versions are never compared. Without any score, the standings list
the users who solved the problem, in the order of time, and say that nothing is ranked.

A place depends on all places before it, since a tie is anchored at its fastest score. So the queries read the
scores of a whole board, and all other columns only of the rows on the page.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
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
from web.leaderboards.queries.baselines import BaselineScore, baselines
from web.leaderboards.queries.solvers import Solver, Solvers, solvers
from web.submissions.models import Best
from web.submissions.queries import visible_submissions

MAX_ROWS = 50
_ORDER = ("score_us", "handed_in", "submission_id")
FUNCTIONAL = "Without a GPU, nothing is ranked. Users who solved the problem, earliest first."
UNTIMED = "No submission has been timed yet. Users who solved the problem, earliest first."
RANKED = (
    "The score is the geometric mean of the times of one call over the timed cases, with its 95 % interval. "
    "Those whose intervals overlap tie."
)


@dataclass(frozen=True, slots=True)
class Board:
    """A board: comparable results of one problem version, one GPU model and one language.

    `users` counts the ranked users; `latest` is the submission time of the newest score.
    """

    gpu: str
    language: str
    users: int
    version: str
    latest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A user's place: the best score if the standings are ranked, else the first accepted submission.

    `rank` counts from 1 and is shared in a tie (`tied`); both mean nothing without a `score`. `version` is
    that of the problem; `toolkit` and `driver` come from the measurement. `public_id` is the submission's if
    the viewer may read it, else empty; `profiled` if the viewer may see the profile.
    """

    username: str
    language: str
    solved: datetime
    rank: int | None = None
    tied: bool = False
    score: Score | None = None
    roofline_percent: float | None = None
    driver: str = ""
    toolkit: str = ""
    version: str = ""
    public_id: str = ""
    profiled: bool = False


@dataclass(frozen=True, slots=True)
class Standings:
    """A page of the standings of a problem. `note` explains them, for display above them.

    `total` counts all places of the board; the first row of this page has the position `start`, from 0.
    `mine` is the viewer's own place on any page, and `around_me` the cursor of its page. `records` are the
    scores of this board that were significantly better than all earlier ones, newest first. `previous` and
    `next` are cursors, None if there is no such page; the first page has the cursor "".
    """

    ranked: bool
    note: str
    rows: tuple[Standing, ...]
    board: Board | None = None
    boards: tuple[Board, ...] = ()
    total: int = 0
    start: int = 0
    mine: Standing | None = None
    around_me: str = ""
    records: tuple[Standing, ...] = ()
    baselines: tuple[BaselineScore, ...] = ()
    previous: str | None = None
    next: str | None = None


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
    boards = _boards(problem)
    if not boards:
        return _unranked(solvers(problem, viewer, after=after, limit=limit))
    board = _choose(boards, gpu, language, _full_version(boards, problem, version))
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


def _unranked(found: Solvers) -> Standings:
    return Standings(
        ranked=False,
        note=UNTIMED if Gpu.objects.exists() else FUNCTIONAL,
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


def _full_version(boards: tuple[Board, ...], problem: Problem, asked: str | None) -> str:
    """Return the requested version; the current one if the requested one has no board."""
    known = (board.version for board in boards)
    return next((full for full in known if asked and full.startswith(asked)), problem.version)


def _choose(boards: tuple[Board, ...], gpu: str | None, language: Language | None, version: str) -> Board:
    """Return the fullest matching board; an empty one if none matches."""
    of_version = [board for board in boards if board.version == version] or list(boards)
    of_gpu = [board for board in of_version if gpu in {None, board.gpu}]
    fitting = [board for board in of_gpu if language in {None, board.language}]
    fullest = max(fitting or of_gpu or of_version, key=lambda board: board.users)
    if fitting and fullest.version == version:
        return fullest
    return Board(gpu or fullest.gpu, language or fullest.language, 0, version)


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
