"""The contents of the leaderboard page: the rows with their intervals, and the boards to choose from."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from judge.report import Score
from problems.vocabulary import BaselineKind, Language
from web.accounts.visibility import Viewer
from web.catalog.models import Problem
from web.charts.records import Fall, Level, records
from web.leaderboards.forms import BaselineForm
from web.leaderboards.models import Baseline as StoredBaseline
from web.leaderboards.queries import BaselineScore, Board, Standing, Standings, standings
from web.leaderboards.queries.standings import FUNCTIONAL
from web.packages.queries import HASH_SHOWN, names_of_versions

WIDTH = 1000
_LEAST = 8  # units, so that the narrowest interval stays visible
_KINDS = {BaselineKind.REFERENCE: "reference", BaselineKind.VENDOR: "vendor library"}


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """The page that the address asks for. Invalid values are ignored."""

    gpu: str | None = None
    language: Language | None = None
    version: str | None = None
    after: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> "BoardQuery":
        """Read `gpu`, `language`, `version` and `after`; ignore an unknown language."""
        language = query.get("language", "")
        known = Language(language) if language in {*Language} else None
        gpu, version = (query.get(name, "").replace("\0", "") or None for name in ("gpu", "version"))
        return cls(gpu, known, version, query.get("after", ""))


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A row of a board: a user's place, or a baseline, which has no place but a kind in `baseline`.

    `x` and `width` draw its interval on an axis that all rows of the page share.
    """

    name: str
    score: Score
    roofline_percent: float | None
    toolkit: str
    driver: str
    x: int
    width: int
    standing: Standing | None = None
    baseline: str = ""
    public_id: str = ""
    mine: bool = False


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """A board to switch to, with its address. `latest` is the time of its newest score."""

    label: str
    url: str
    chosen: bool
    latest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pages:
    """Addresses of other pages, empty if there is no such page. `mine` leads to the viewer's own row."""

    first: str = ""
    previous: str = ""
    next: str = ""
    mine: str = ""


@dataclass(frozen=True, slots=True)
class BoardPage:
    """A page of a leaderboard. `pinned` is the viewer's own row if it is not among `rows`.

    If nothing is ranked there are no `rows`: the page shows the standings, and `alone` is the viewer's own
    row. `older` says that the board is of an earlier version of the problem than the current one. `version`
    is the name of the board's version, empty if there is only one. `help` is the part of the help page that
    explains why nothing is ranked.
    """

    problem: Problem
    standings: Standings
    rows: tuple[BoardRow, ...]
    pinned: BoardRow | None
    alone: Standing | None
    gpus: tuple[BoardChoice, ...]
    languages: tuple[BoardChoice, ...]
    versions: tuple[BoardChoice, ...]
    pages: Pages
    chart: SafeString | str
    record: Standing | None
    older: bool
    version: str
    help: str


@dataclass(frozen=True, slots=True)
class BaselineEditor:
    """For staff: the baselines of a problem on all boards, and the form to set one."""

    baselines: tuple[StoredBaseline, ...]
    form: BaselineForm


def baseline_editor(problem: Problem) -> BaselineEditor:
    """Return the baselines of `problem`, including those that are not timed yet. One query."""
    rows = StoredBaseline.objects.filter(problem=problem).select_related("submission__report")
    read = rows.defer("submission__source", "submission__report__body")
    return BaselineEditor(tuple(read), BaselineForm(problem=problem, auto_id="baseline-%s"))


def board_page(problem: Problem, viewer: Viewer, wanted: BoardQuery) -> BoardPage:
    """Return the requested page of `problem`."""
    found = standings(
        problem,
        viewer,
        gpu=wanted.gpu,
        language=wanted.language,
        version=wanted.version,
        after=wanted.after,
    )
    board = found.board
    urls = _BoardUrls(problem, board)
    mine = found.mine.username if found.mine else ""
    away = found.mine if found.mine and all(row.username != mine for row in found.rows) else None
    rows, pinned = _rows(found, away, mine)
    versions = _versions(found, urls)
    return BoardPage(
        problem=problem,
        standings=found,
        rows=rows,
        pinned=pinned,
        alone=away,
        gpus=_gpus(found, urls),
        languages=_languages(found, urls),
        versions=versions,
        pages=_pages(found, away, urls),
        chart=_chart(found, mine),
        record=found.records[0] if found.records else None,
        older=board is not None and board.version != problem.version,
        version=next((choice.label for choice in versions if choice.chosen), ""),
        help="functional" if found.note == FUNCTIONAL else "times",
    )


@dataclass(frozen=True, slots=True)
class _BoardUrls:
    """Makes addresses of boards and their pages. An address omits the current version."""

    problem: Problem
    board: Board | None

    def to(self, *, after: str = "", **changes: str) -> str:
        query = {"after": after} if after else {}
        if self.board:
            board = {"gpu": self.board.gpu, "language": self.board.language, "version": self.board.version}
            board |= changes
            if board["version"] == self.problem.version:
                del board["version"]
            else:
                board["version"] = board["version"][:HASH_SHOWN]
            query = board | query
        return "?" + urlencode(query)


def _rows(found: Standings, away: Standing | None, mine: str) -> tuple[tuple[BoardRow, ...], BoardRow | None]:
    """Return the places of the page with the baselines between them, and the viewer's own place."""
    baselines = _baselines(found)
    standing = [row.score for row in (*found.rows, *([away] if away else [])) if row.score]
    scores = [*standing, *(line.score for line in baselines)]
    if not scores:
        return (), None
    axis = _Axis.over(scores)
    people = [axis.place(standing, mine) for standing in found.rows]
    rows = [*people, *(axis.level(line) for line in baselines)]
    rows.sort(key=lambda row: row.score.median_us)
    return tuple(rows), axis.place(away, mine) if away else None


def _baselines(found: Standings) -> tuple[BaselineScore, ...]:
    """Return the baselines between the places of this page, before the first page and after the last."""
    times = [row.score.median_us for row in found.rows if row.score]
    if not times:
        return found.baselines if not found.total else ()
    low = times[0] if found.previous is not None else 0.0
    high = times[-1] if found.next is not None else math.inf
    return tuple(line for line in found.baselines if low < line.score.median_us <= high)


@dataclass(frozen=True, slots=True)
class _Axis:
    """A logarithmic axis of `WIDTH` units for the intervals of a page."""

    low: float
    span: float

    @classmethod
    def over(cls, scores: Iterable[Score]) -> "_Axis":
        ends = [(score.low_us, score.high_us) for score in scores]
        low = math.log(min(low for low, _ in ends))
        return cls(low, math.log(max(high for _, high in ends)) - low or 1.0)

    def _draw(self, score: Score) -> tuple[int, int]:
        x, end = (
            round(WIDTH * (math.log(value) - self.low) / self.span) for value in (score.low_us, score.high_us)
        )
        width = max(end - x, _LEAST)
        return min(x, WIDTH - width), width

    def place(self, standing: Standing, mine: str) -> BoardRow:
        assert standing.score is not None  # noqa: S101 - it is on a ranked board
        x, width = self._draw(standing.score)
        return BoardRow(
            name=standing.username,
            score=standing.score,
            roofline_percent=standing.roofline_percent,
            toolkit=standing.toolkit,
            driver=standing.driver,
            x=x,
            width=width,
            standing=standing,
            public_id=standing.public_id,
            mine=standing.username == mine,
        )

    def level(self, line: BaselineScore) -> BoardRow:
        x, width = self._draw(line.score)
        return BoardRow(
            name=line.label,
            score=line.score,
            roofline_percent=line.roofline_percent,
            toolkit=line.toolkit,
            driver=line.driver,
            x=x,
            width=width,
            baseline=_KINDS[line.kind],
            public_id=line.public_id,
        )


def _gpus(found: Standings, urls: _BoardUrls) -> tuple[BoardChoice, ...]:
    """Return the GPU models that have a board in the current language."""
    chosen = found.board
    if chosen is None:
        return ()
    models = dict.fromkeys([board.gpu for board in found.boards] + [chosen.gpu])
    return tuple(BoardChoice(model, urls.to(gpu=model), model == chosen.gpu) for model in models)


def _languages(found: Standings, urls: _BoardUrls) -> tuple[BoardChoice, ...]:
    """Return every language that the problem takes, on the current GPU model."""
    chosen = found.board
    if chosen is None:
        return ()
    known = [Language(name) for name in urls.problem.languages if name in {*Language}]
    return tuple(
        BoardChoice(language.value, urls.to(language=language.value), language == chosen.language)
        for language in known or Language
    )


def _versions(found: Standings, urls: _BoardUrls) -> tuple[BoardChoice, ...]:
    """Return the versions of the problem that have a score, the current one first; None if only one has."""
    chosen, present = found.board, urls.problem.version
    if chosen is None:
        return ()
    latest: dict[str, datetime] = {}
    for board in found.boards:
        if board.latest:
            latest[board.version] = max(board.latest, latest.get(board.version, board.latest))
    earlier = sorted((version for version in latest if version != present), key=latest.__getitem__)
    if not earlier:
        return ()
    names = names_of_versions(urls.problem, (present, *earlier))
    return tuple(
        BoardChoice(names[version], urls.to(version=version), version == chosen.version, latest.get(version))
        for version in (present, *reversed(earlier))
    )


def _pages(found: Standings, away: Standing | None, urls: _BoardUrls) -> Pages:
    def to(cursor: str | None) -> str:
        return "" if cursor is None else urls.to(after=cursor) or "?"

    return Pages(
        first=to(None if found.previous is None else ""),
        previous=to(found.previous or None),
        next=to(found.next),
        mine=to(found.around_me) if away and found.ranked else "",
    )


def _chart(found: Standings, mine: str) -> SafeString | str:
    """Return the records as steps, the oldest first."""
    falls = [
        Fall(row.solved, row.score.median_us, row.username, row.username == mine)
        for row in reversed(found.records)
        if row.score
    ]
    levels = [Level(line.label, line.score.median_us) for line in found.baselines]
    if not falls:
        return ""
    return records("records", falls, until=timezone.now(), levels=levels, title="Best score over time")
