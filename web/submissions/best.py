"""The table of best scores, kept equal to the reports.

Theory of operation.

All contents of `Best` follow from the reports. The table exists because a board cannot read a million
reports. `web.submissions.services.progress` calls `settle` in the transaction that writes or deletes a
report. It reads that user's ranked reports on that problem and replaces the rows that differ. Other changes
of the ranked users (a user opts out, is banned or leaves) only change the marks of records. `review` and
`forget` update these. The lock is the problem's tally, as for progress. `rebuild` creates the whole table
again in bulk, under the lock of `recount`.

This module imports only models, so that the services of submissions may call it.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Min, Q, QuerySet, RowRange, Window

from problems.vocabulary import Mode, Verdict
from web.accounts import visibility as profiles
from web.accounts.models import User
from web.submissions.models import Best, Report, Submission, Tally

_BOARD = ("problem_id", "version", "gpu_model", "language")
_SCORED = {"ranked": True, "verdict": Verdict.ACCEPTED.value, "submission__mode": Mode.SUBMIT.value}
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


@dataclass(frozen=True, slots=True)
class _Scored:
    """A ranked report, with the columns that `Best` copies from it."""

    problem_id: int
    version: str
    gpu_model: str
    language: str
    submission_id: int
    score_us: float
    score_low_us: float
    score_high_us: float
    roofline_percent: float | None
    driver: str
    toolkit: str
    handed_in: datetime

    @property
    def board(self) -> tuple[int, str, str, str]:
        return self.problem_id, self.version, self.gpu_model, self.language


def settle(user_id: int, problem_id: int) -> None:
    """Make the bests of a user on a problem agree with the reports after one was written or deleted.

    Runs in the caller's transaction, which holds the problem's tally.
    """
    mine = Best.objects.filter(user=user_id, problem=problem_id)
    before = {_as_tuple(row): row for row in mine}
    after = {(*astuple(scored), current): scored for scored, current in _bests(_read(user_id, problem_id))}
    gone = [row for key, row in before.items() if key not in after]
    new = [key for key in after if key not in before]
    if not gone and not new:
        return
    mine.filter(pk__in=[row.pk for row in gone]).delete()
    names = _Scored.__dataclass_fields__
    Best.objects.bulk_create(
        Best(user_id=user_id, current=key[-1], **dict(zip(names, key[:-1], strict=True))) for key in new
    )
    boards = {tuple(getattr(row, name) for name in _BOARD) for row in gone}
    _mark_records(boards | {after[key].board for key in new})


@transaction.atomic
def review(user: User) -> None:
    """Mark the records of all boards of `user` after a change of whether the user ranks."""
    rows = Best.objects.filter(user=user)
    _lock(rows)
    _mark_records(set(rows.values_list(*_BOARD)))


@transaction.atomic
def forget(user: User) -> None:
    """Remove `user` from all boards. Call it before the account is deleted."""
    rows = Best.objects.filter(user=user)
    _lock(rows)
    boards = set(rows.values_list(*_BOARD))
    rows.delete()
    _mark_records(boards)


def rebuild() -> int:
    """Rebuild all bests from the reports, in bulk. Return how many there are.

    Runs in the caller's transaction, which blocks all calls of `settle`.
    """
    tables = (Best, Report, Submission, User)
    names = {table.__name__.lower(): connection.ops.quote_name(table._meta.db_table) for table in tables}  # noqa: SLF001 - Django's public name for it
    Best.objects.all().delete()  # one statement, because nothing refers to a best
    with connection.cursor() as cursor:
        cursor.execute(_BESTS.format(**names), [Verdict.ACCEPTED.value, Mode.SUBMIT.value])
        cursor.execute(_RECORDS.format(**names))
    return Best.objects.count()


def _read(user_id: int, problem_id: int) -> QuerySet[Report, tuple[Any, ...]]:
    scored = Report.objects.filter(submission__user=user_id, submission__problem=problem_id, **_SCORED)
    return scored.order_by("submission__created", "submission_id").values_list(
        *("submission__problem", "version", "gpu_model", "submission__language", "submission"),
        *("score_us", "score_low_us", "score_high_us", "roofline_percent", "driver", "toolkit"),
        "submission__created",
    )


def _bests(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[_Scored, bool]]:
    """Yield the reports for the table, and whether each is the current best.

    Reports of a user are in the order of time.
    """
    kept: dict[tuple[int, str, str, str], list[_Scored]] = {}
    for row in rows:
        scored = _Scored(*row)
        earlier = kept.setdefault(scored.board, [])
        if scored.score_us < min((best.score_us for best in earlier), default=math.inf) or (
            scored.score_low_us < min(best.score_low_us for best in earlier)
        ):
            earlier.append(scored)
    for bests in kept.values():
        current = min(bests, key=lambda best: best.score_us)  # the earlier one of two equal scores
        yield from ((best, best is current) for best in bests)


def _as_tuple(row: Best) -> tuple[Any, ...]:
    return (*(getattr(row, name) for name in _Scored.__dataclass_fields__), row.current)


def _mark_records(boards: Iterable[tuple[Any, ...]]) -> None:
    for board in boards:
        rows = Best.objects.filter(**dict(zip(_BOARD, board, strict=True)))
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


def _lock(rows: QuerySet[Best]) -> None:
    """Block calls of `settle` for the problems of `rows` until the transaction ends."""
    tallies = Tally.objects.filter(problem__in=rows.values("problem"))
    list(tallies.order_by("problem").select_for_update(no_key=True))
