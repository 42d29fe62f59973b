"""Boards, places and pages of standings for all ways to rank, and the choice of a board."""

from dataclasses import dataclass
from datetime import datetime

from judge.report import Score
from problems.vocabulary import Language
from web.catalog.models import Problem
from web.leaderboards.queries.baselines import BaselineScore


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

    `rank` counts from 1 and is shared in a tie (`tied`); both mean nothing without a `score`, or on a board
    by the checker's score a `checker_score`. `version` is that of the problem; `toolkit` and `driver` come
    from the measurement. `public_id` is the submission's if the viewer may read it, else empty; `profiled`
    if the viewer may see the profile.
    """

    username: str
    language: str
    solved: datetime
    rank: int | None = None
    tied: bool = False
    score: Score | None = None
    checker_score: float | None = None
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


def full_version(boards: tuple[Board, ...], problem: Problem, asked: str | None) -> str:
    """Return the requested version; the current one if the requested one has no board."""
    known = (board.version for board in boards)
    return next((full for full in known if asked and full.startswith(asked)), problem.version)


def choose(boards: tuple[Board, ...], gpu: str | None, language: Language | None, version: str) -> Board:
    """Return the fullest matching board; an empty one if none matches."""
    of_version = [board for board in boards if board.version == version] or list(boards)
    of_gpu = [board for board in of_version if gpu in {None, board.gpu}]
    fitting = [board for board in of_gpu if language in {None, board.language}]
    fullest = max(fitting or of_gpu or of_version, key=lambda board: board.users)
    if fitting and fullest.version == version:
        return fullest
    return Board(gpu or fullest.gpu, language or fullest.language, 0, version)
