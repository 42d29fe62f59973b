"""Standings of a problem.

Only a trusted clock on a GPU ranks. There is a board for each GPU model and language that has a score:
times of different GPUs are never compared, nor are those of different versions of the problem. Without
any score, the standings list who solved the problem, with which language, in the order of time, and say
that nothing is ranked.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Min, Q, QuerySet, RowRange, Window
from django.db.models.functions import RowNumber

from judge.report import Score
from judge.scoring import rank
from problems.vocabulary import Language, Mode, Verdict
from web.catalog.models import Problem
from web.submissions.models import Report, Submission

MAX_ROWS = 100
MAX_RECORDS = 10
_COLUMNS = (
    *("submission__user__username", "submission__language", "submission__created"),
    *("score_us", "score_low_us", "score_high_us", "roofline_percent", "driver", "toolkit", "version"),
)
NOT_RANKED = "Nothing is ranked without a GPU. These are the people who solved the problem, earliest first."
RANKED = (
    "The score is the geometric mean of the times of one call over the timed cases, with its 95 % interval. "
    "Those whose intervals overlap tie."
)


@dataclass(frozen=True, slots=True)
class Board:
    """Results that may be compared: one GPU model, one language. `users` counts those who are ranked."""

    gpu: str
    language: str
    users: int


@dataclass(frozen=True, slots=True)
class Standing:
    """One user's place: the best score where the standings are ranked, else the first accepted submission.

    `rank` counts from 1 and is shared in a tie (`tied`); both say nothing without a `score`. `version` is
    that of the problem, `toolkit` and `driver` are the stamp of the figure.
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


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a problem. `note` says what they mean, for display above them.

    `records` are the scores of this board that were surely better than all before them, newest first.
    `older` are the best scores on versions of the problem before the present one: shown, not ranked.
    """

    ranked: bool
    note: str
    rows: tuple[Standing, ...]
    board: Board | None = None
    boards: tuple[Board, ...] = ()
    records: tuple[Standing, ...] = ()
    older: tuple[Standing, ...] = ()


def standings(
    problem: Problem,
    *,
    gpu: str | None = None,
    language: Language | None = None,
    username: str = "",
    limit: int = MAX_ROWS,
) -> Standings:
    """The board of `gpu` and `language`, the fullest one by default; who solved it when there is none.

    The row of `username` is there even beyond `limit`. Takes two queries, four for a ranked board.
    """
    boards = _boards(problem)
    if not boards:
        return _solved(problem, limit)
    board = _choose(boards, gpu, language)
    scored = _scored(problem).filter(gpu_model=board.gpu, submission__language=board.language)
    current = scored.filter(version=problem.version)
    places = _ranked(_best(current))
    return Standings(
        ranked=True,
        note=RANKED,
        rows=tuple(row for place, row in enumerate(places) if place < limit or row.username == username),
        board=board,
        boards=boards,
        records=tuple(_standing(row) for row in _records(current)),
        older=tuple(_standing(row) for row in _best(scored.exclude(version=problem.version))[:limit]),
    )


def _solved(problem: Problem, limit: int) -> Standings:
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


def _scored(problem: Problem) -> QuerySet[Report]:
    return Report.objects.filter(
        ranked=True,
        verdict=Verdict.ACCEPTED.value,
        submission__problem=problem,
        submission__mode=Mode.SUBMIT.value,
        submission__user__is_active=True,
    )


def _boards(problem: Problem) -> tuple[Board, ...]:
    """Every board with a score, also with none but of older versions, by name."""
    ranked = Count("submission__user", distinct=True, filter=Q(version=problem.version))
    rows = _scored(problem).values("gpu_model", "submission__language").annotate(users=ranked)
    return tuple(
        Board(row["gpu_model"], row["submission__language"], row["users"])
        for row in rows.order_by("gpu_model", "submission__language")
    )


def _choose(boards: tuple[Board, ...], gpu: str | None, language: Language | None) -> Board:
    """The fullest board that is as asked for; an empty one where there is none."""
    of_gpu = [board for board in boards if gpu in {None, board.gpu}]
    fitting = [board for board in of_gpu if language in {None, board.language}]
    if fitting:
        return max(fitting, key=lambda board: board.users)
    fullest = max(of_gpu or boards, key=lambda board: board.users)
    return Board(gpu or fullest.gpu, language or fullest.language, 0)


def _best(scored: QuerySet[Report]) -> QuerySet[Report, dict[str, Any]]:
    """The best score of each user, best first; the earlier one of two that are the same."""
    order = ("score_us", "submission__created", "pk")
    place = Window(RowNumber(), partition_by="submission__user", order_by=order)
    best = scored.annotate(place=place).filter(place=1).order_by(*order)
    rows: QuerySet[Report, dict[str, Any]] = best.values(*_COLUMNS)
    return rows


def _records(scored: QuerySet[Report]) -> QuerySet[Report, dict[str, Any]]:
    """The scores that were surely better than all handed in before them, newest first."""
    order = ("submission__created", "pk")
    before = Window(Min("score_low_us"), order_by=order, frame=RowRange(start=None, end=-1))
    broken = Q(before__isnull=True) | Q(score_high_us__lt=F("before"))
    newest = scored.annotate(before=before).filter(broken).order_by("-submission__created", "-pk")
    rows: QuerySet[Report, dict[str, Any]] = newest.values(*_COLUMNS)[:MAX_RECORDS]
    return rows


def _ranked(rows: Iterable[Mapping[str, Any]]) -> Iterator[Standing]:
    best = [(_score(row), _standing(row)) for row in rows]
    places = rank([score for score, _ in best])
    holders = Counter(places)
    return (
        replace(standing, rank=place, tied=holders[place] > 1)
        for (_, standing), place in zip(best, places, strict=True)
    )


def _standing(row: Mapping[str, Any]) -> Standing:
    return Standing(
        username=row["submission__user__username"],
        language=row["submission__language"],
        solved=row["submission__created"],
        score=_score(row),
        roofline_percent=row["roofline_percent"],
        driver=row["driver"],
        toolkit=row["toolkit"],
        version=row["version"],
    )


def _score(row: Mapping[str, Any]) -> Score:
    return Score(row["score_us"], row["score_low_us"], row["score_high_us"])
