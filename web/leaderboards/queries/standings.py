"""Standings of a problem.

Only a trusted clock on a GPU ranks. There is a board for each version of the problem, GPU model and language
that has a score: times of different GPUs are never compared, nor are those of different versions. Without
any score, the standings list who solved the problem, in the order of time, and say that nothing is ranked.

A place depends on all places before it, since a tie is anchored at its fastest. So the figures of a whole
board are read, and everything else of those rows alone that are shown.
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
    """Results that may be compared: one version of the problem, one GPU model, one language.

    `users` counts those who are ranked, `latest` is when the newest of their scores was handed in.
    """

    gpu: str
    language: str
    users: int
    version: str
    latest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """One person's place: the best score where the standings are ranked, else the first accepted submission.

    `rank` counts from 1 and is shared in a tie (`tied`); both say nothing without a `score`. `version` is
    that of the problem, `toolkit` and `driver` are the stamp of the figure. `public_id` is the submission's
    where the viewer may read it, else empty; `profiled` when the viewer may see the profile.
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
    """A page of the standings of a problem. `note` says what they mean, for display above them.

    `total` counts all places of the board; the first row of this page has the position `start`, from 0.
    `mine` is the viewer's own place, wherever it is, and `around_me` the cursor of the page that it is on.
    `records` are the scores of this board that were surely better than all before them, newest first.
    `previous` and `next` are cursors, None where there is no such page; the first page has the cursor "".
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
    """A page of the board of `gpu`, `language` and `version`; who solved the problem when there is none.

    By default the present version and its fullest board. A version may be given by its first characters.
    Takes four queries, whatever the size.
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
    """All places of a board, best first, as columns. `keys` are those of `Best`."""

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
        """Where the page begins that `cursor` asks for."""
        return cursors.find(self.scores, cursor)

    def cursor(self, start: int) -> str:
        """The cursor of the page that begins at `start`."""
        return cursors.before(self.scores, start)

    def place(self, at: int, read: Mapping[int, Standing]) -> Standing:
        """The row at `at`, with its rank."""
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
    """Every board with a score, of all versions, by name."""
    rows = _visible(problem=problem, current=True).values("gpu_model", "language", "version")
    counted = rows.annotate(users=Count("pk"), latest=Max("handed_in"))
    return tuple(
        Board(row["gpu_model"], row["language"], row["users"], row["version"], row["latest"])
        for row in counted.order_by("gpu_model", "language", "-latest")
    )


def _full_version(boards: tuple[Board, ...], problem: Problem, asked: str | None) -> str:
    """The version that is asked for, the present one unless it has a board."""
    known = (board.version for board in boards)
    return next((full for full in known if asked and full.startswith(asked)), problem.version)


def _choose(boards: tuple[Board, ...], gpu: str | None, language: Language | None, version: str) -> Board:
    """The fullest board that is as asked for; an empty one where there is none."""
    of_version = [board for board in boards if board.version == version] or list(boards)
    of_gpu = [board for board in of_version if gpu in {None, board.gpu}]
    fitting = [board for board in of_gpu if language in {None, board.language}]
    fullest = max(fitting or of_gpu or of_version, key=lambda board: board.users)
    if fitting and fullest.version == version:
        return fullest
    return Board(gpu or fullest.gpu, language or fullest.language, 0, version)


def _read(rows: QuerySet[Best], viewer: Viewer) -> tuple[dict[int, Standing], tuple[Standing, ...]]:
    """What is shown of these rows, by their keys, and those of them that are records, newest first."""
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
