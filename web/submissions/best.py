"""The tables of best scores, kept equal to the reports.

Theory of operation.

All contents of `Best` (times) and `BestByChecker` (scores of a checker) follow from the reports. The tables
exist because a board cannot read a million reports. `web.submissions.services.progress` calls `settle` in the
transaction that writes or deletes a report. It reads that user's reports for boards on that problem and
replaces the rows that differ. Other changes of the ranked users (a user opts out, is banned or leaves) only
change the marks of records, which only times have. `review` and `forget` update these. The lock is the
problem's tally, as for progress. `rebuild` creates the whole tables again in bulk, under the lock of
`recount`.

Version 0.2 does not know `BestByChecker`, and it runs during an upgrade and after the way back. That is why
its rows are not in `Best`, where that version would rank them as times. `fill`, which `migrate` calls,
settles what was recorded, rejudged or deleted in the meantime.

This module imports only models, so that the services of submissions may call it.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction
from django.db.models import Exists, F, Min, OuterRef, Q, QuerySet, RowRange, Window

from problems.vocabulary import Mode, Verdict
from web.accounts import visibility as profiles
from web.accounts.models import User
from web.submissions.models import Best, BestByChecker, Report, Submission, Tally

_FILLED_AT_ONCE = 10
_ACCEPTED = Q(verdict=Verdict.ACCEPTED.value, submission__mode=Mode.SUBMIT.value)
_SCORED = _ACCEPTED & Q(checker_score__isnull=False)
_BESTS = """
INSERT INTO {best} (user_id, problem_id, version, gpu_model, language, submission_id, score_us, score_low_us,
                    score_high_us, roofline_percent, driver, toolkit, handed_in, current, record)
SELECT user_id, problem_id, version, gpu_model, language, submission_id, score_us, score_low_us,
       score_high_us, roofline_percent, driver, toolkit, created, place = 1, FALSE
  FROM (SELECT user_id, problem_id, {report}.version, {report}.gpu_model, language, submission_id,
               score_us, score_low_us, score_high_us, roofline_percent, driver, toolkit, created,
               MIN(score_us) OVER earlier AS score_before,
               MIN(score_low_us) OVER earlier AS low_before,
               ROW_NUMBER() OVER (
                   PARTITION BY user_id, problem_id, {report}.version, {report}.gpu_model, language
                   ORDER BY score_us, created, submission_id
               ) AS place
          FROM {report} JOIN {submission} ON {submission}.id = submission_id
         WHERE ranked AND verdict = %s AND mode = %s
        WINDOW earlier AS (
            PARTITION BY user_id, problem_id, {report}.version, {report}.gpu_model, language
            ORDER BY created, submission_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )) AS scored
 WHERE score_before IS NULL OR score_us < score_before OR score_low_us < low_before
"""
_BESTS_BY_CHECKER = """
INSERT INTO {bestbychecker} (user_id, problem_id, version, gpu_model, language, submission_id, checker_score,
                             driver, toolkit, handed_in, lowest, highest, latest)
SELECT user_id, problem_id, version, gpu_model, language, submission_id, checker_score,
       driver, toolkit, created, from_lowest = 1, from_highest = 1, from_latest = 1
  FROM (SELECT user_id, problem_id, {report}.version, {report}.gpu_model, language, submission_id,
               checker_score, driver, toolkit, created,
               ROW_NUMBER() OVER (
                   PARTITION BY user_id, problem_id, {report}.version, {report}.gpu_model, language
                   ORDER BY checker_score, created, submission_id
               ) AS from_lowest,
               ROW_NUMBER() OVER (
                   PARTITION BY user_id, problem_id, {report}.version, {report}.gpu_model, language
                   ORDER BY checker_score DESC, created, submission_id
               ) AS from_highest,
               ROW_NUMBER() OVER (
                   PARTITION BY user_id, problem_id, {report}.version, {report}.gpu_model, language
                   ORDER BY created DESC, submission_id DESC
               ) AS from_latest
          FROM {report} JOIN {submission} ON {submission}.id = submission_id
         WHERE checker_score IS NOT NULL AND verdict = %s AND mode = %s) AS scored
 WHERE from_lowest = 1 OR from_highest = 1 OR from_latest = 1
"""
_RECORDS = """
UPDATE {best} SET record = TRUE
 WHERE id IN (
    SELECT id
      FROM (SELECT {best}.id, score_high_us, MIN(score_low_us) OVER (
                       PARTITION BY problem_id, version, gpu_model, language
                       ORDER BY handed_in, submission_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                   ) AS low_before
              FROM {best} JOIN {user} ON {user}.id = user_id
             WHERE is_active AND in_rankings) AS earlier
     WHERE low_before IS NULL OR score_high_us < low_before
 )
"""


class _Board(NamedTuple):
    problem_id: int
    version: str
    gpu_model: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A row of a table of bests, without its key and its user. The names are those of the columns."""

    problem_id: int
    version: str
    gpu_model: str
    language: str
    submission_id: int
    driver: str
    toolkit: str
    handed_in: datetime

    @property
    def board(self) -> _Board:
        return _Board(self.problem_id, self.version, self.gpu_model, self.language)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timed(_Row):
    """A row of `Best`. `_mark_records` sets its mark."""

    score_us: float
    score_low_us: float
    score_high_us: float
    roofline_percent: float | None
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored(_Row):
    """A row of `BestByChecker`."""

    checker_score: float
    lowest: bool
    highest: bool
    latest: bool


_AnyRow = TypeVar("_AnyRow", bound=_Row)
_Table = TypeVar("_Table", Best, BestByChecker)


def settle(user_id: int, problem_id: int) -> None:
    """Make the bests of a user on a problem agree with the reports after one was written or deleted.

    Runs in the caller's transaction, which holds the problem's tally.
    """
    reports = _read(user_id, problem_id)
    by_checker = BestByChecker.objects.filter(user=user_id, problem=problem_id)
    _replace(by_checker, user_id, _Scored, _bests_by_checker(reports))
    bests = Best.objects.filter(user=user_id, problem=problem_id)
    _mark_records(_replace(bests, user_id, _Timed, _bests(reports)))


def fill() -> int:
    """Settle the bests by checker that are missing or outdated, in batches. Return how many users' they are.

    A user counts once for each problem. Each batch is a transaction, so verdicts wait only briefly.
    """
    found = sorted({*_missing(), *_outdated()})
    for first in range(0, len(found), _FILLED_AT_ONCE):
        batch = found[first : first + _FILLED_AT_ONCE]
        with transaction.atomic():
            _lock({problem for problem, _ in batch})
            for problem, user in batch:
                settle(user, problem)
    return len(found)


@transaction.atomic
def review(user: User) -> None:
    """Mark the records of all boards of `user` after a change of whether the user ranks."""
    rows = Best.objects.filter(user=user)
    _lock({*rows.values_list("problem", flat=True)})
    _mark_records(_boards(rows))


@transaction.atomic
def forget(user: User) -> None:
    """Remove `user` from all boards. Call it before the account is deleted."""
    rows, by_checker = Best.objects.filter(user=user), BestByChecker.objects.filter(user=user)
    _lock({*rows.values_list("problem", flat=True), *by_checker.values_list("problem", flat=True)})
    boards = _boards(rows)
    by_checker.delete()
    rows.delete()
    _mark_records(boards)


def rebuild() -> int:
    """Rebuild all bests from the reports, in bulk. Return how many there are.

    Runs in the caller's transaction, which blocks all calls of `settle`.
    """
    tables = (Best, BestByChecker, Report, Submission, User)
    names = {table.__name__.lower(): connection.ops.quote_name(table._meta.db_table) for table in tables}  # noqa: SLF001 - Django's public name for it
    Best.objects.all().delete()  # one statement each, because nothing refers to a best
    BestByChecker.objects.all().delete()
    with connection.cursor() as cursor:
        for statement in (_BESTS, _BESTS_BY_CHECKER):
            cursor.execute(statement.format(**names), [Verdict.ACCEPTED.value, Mode.SUBMIT.value])
        cursor.execute(_RECORDS.format(**names))
    return Best.objects.count() + BestByChecker.objects.count()


def _read(user_id: int, problem_id: int) -> list[Mapping[str, Any]]:
    """Return the columns of a user's reports for boards, in the order of time."""
    boards = _ACCEPTED & (Q(ranked=True) | Q(checker_score__isnull=False))
    reports = Report.objects.filter(boards, submission__user=user_id, submission__problem=problem_id)
    columns = reports.values(
        *("version", "gpu_model", "driver", "toolkit", "submission_id", "ranked", "checker_score"),
        *("score_us", "score_low_us", "score_high_us", "roofline_percent"),
        problem_id=F("submission__problem"),
        language=F("submission__language"),
        handed_in=F("submission__created"),
    )
    # Sorted here, since SQLite would read all submissions to the problem by time to avoid sorting.
    return sorted(columns, key=itemgetter("handed_in", "submission_id"))


def _replace(mine: QuerySet[_Table], user_id: int, kind: type[_Row], wanted: Iterable[_Row]) -> set[_Board]:
    """Replace those of the rows `mine` that differ from `wanted`. Return the boards that changed."""
    before = {_row(kind, vars(row)): row.pk for row in mine}
    after = set(wanted)
    gone, new = before.keys() - after, after - before.keys()
    if gone:
        mine.filter(pk__in=[before[row] for row in gone]).delete()
    if new:
        mine.bulk_create(mine.model(user_id=user_id, **asdict(row)) for row in new)
    return {row.board for row in gone | new}


def _row(kind: type[_AnyRow], columns: Mapping[str, Any], **marks: bool) -> _AnyRow:
    """Return a row of this kind. Columns of other tables are left out."""
    named = {**columns, **marks}
    return kind(**{field.name: named[field.name] for field in fields(kind)})


def _bests(reports: Iterable[Mapping[str, Any]]) -> Iterator[_Timed]:
    """Yield the rows of times of a user's reports, which are in the order of time."""
    kept: dict[_Board, list[_Timed]] = {}
    for report in reports:
        if not report["ranked"]:
            continue
        timed = _row(_Timed, report, current=False)
        earlier = kept.setdefault(timed.board, [])
        if timed.score_us < min((best.score_us for best in earlier), default=math.inf) or (
            timed.score_low_us < min(best.score_low_us for best in earlier)
        ):
            earlier.append(timed)
    for bests in kept.values():
        current = min(bests, key=lambda best: best.score_us)  # the earlier one of two equal scores
        yield from (replace(best, current=best is current) for best in bests)


def _bests_by_checker(reports: Iterable[Mapping[str, Any]]) -> Iterator[_Scored]:
    """Yield the rows of scores of a user's reports, which are in the order of time."""
    kept: dict[_Board, list[Mapping[str, Any]]] = {}
    for report in reports:
        if report["checker_score"] is not None:
            kept.setdefault(_Board(*(report[name] for name in _Board._fields)), []).append(report)
    for scored in kept.values():
        # `min` and `max` return the earlier one of two equal scores.
        lowest = min(scored, key=itemgetter("checker_score"))
        highest = max(scored, key=itemgetter("checker_score"))
        latest = scored[-1]
        for row in {each["submission_id"]: each for each in (lowest, highest, latest)}.values():
            yield _row(_Scored, row, lowest=row is lowest, highest=row is highest, latest=row is latest)


def _mark_records(boards: Iterable[_Board]) -> None:
    for board in boards:
        rows = Best.objects.filter(**board._asdict())
        right = set(_records(rows).values_list("pk", flat=True))
        marked = set(rows.filter(record=True).values_list("pk", flat=True))
        if right != marked:
            rows.filter(pk__in=marked - right).update(record=False)
            rows.filter(pk__in=right - marked).update(record=True)


def _records(rows: QuerySet[Best]) -> QuerySet[Best]:
    """Return the rows whose interval lies below all earlier scores of users who rank."""
    order = ("handed_in", "submission_id")
    before = Window(Min("score_low_us"), order_by=order, frame=RowRange(start=None, end=-1))
    ranked = rows.filter(profiles.ranked_users("user")).annotate(before=before)
    return ranked.filter(Q(before__isnull=True) | Q(score_high_us__lt=F("before")))


def _boards(rows: QuerySet[Best]) -> set[_Board]:
    return {_Board(*board) for board in rows.values_list(*_Board._fields)}


def _missing() -> Iterator[tuple[int, int]]:
    """Yield problem and user of each report with a score that the user's bests do not account for."""
    bests = BestByChecker.objects.filter(
        user=OuterRef("submission__user"),
        problem=OuterRef("submission__problem"),
        version=OuterRef("version"),
        gpu_model=OuterRef("gpu_model"),
        language=OuterRef("submission__language"),
    )
    accounted = (
        Exists(bests.filter(lowest=True, checker_score__lte=OuterRef("checker_score")))
        & Exists(bests.filter(highest=True, checker_score__gte=OuterRef("checker_score")))
        & Exists(bests.filter(latest=True, handed_in__gte=OuterRef("submission__created")))
    )
    rows = Report.objects.filter(_SCORED).exclude(accounted)
    yield from rows.values_list("submission__problem", "submission__user").distinct()


def _outdated() -> Iterator[tuple[int, int]]:
    """Yield problem and user of each best whose report is gone or another one."""
    same = ("submission", "version", "gpu_model", "checker_score")
    reports = Report.objects.filter(_SCORED, **{name: OuterRef(name) for name in same})
    yield from BestByChecker.objects.exclude(Exists(reports)).values_list("problem", "user").distinct()


def _lock(problems: Collection[int]) -> None:
    """Block calls of `settle` for `problems` until the transaction ends."""
    tallies = Tally.objects.filter(problem__in=problems)
    list(tallies.order_by("problem").select_for_update(no_key=True))
