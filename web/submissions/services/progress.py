"""Users' progress, kept equal to the reports.

Theory of operation.

All contents of `Progress` and `Tally` follow from the reports. The tables exist because a list cannot read a
million reports. A caller that writes or deletes a report calls `settle` in the same transaction. It counts
that user's reports on that problem again and changes the tally by the difference, so a dropped, repeated or
late report does not distort the tally. The tally's row is the lock: if two callers settle the same problem at
a time, the second counts after the first has committed. `recount` rebuilds both tables in bulk, and blocks
`settle` while it runs.

Only verdicts about the program count. `internal_error` and `cancelled` do not count as judged. Runs count
only as runs, with any verdict.
"""

from typing import Any

from django.db import connection, transaction
from django.db.models import Count, F, Max, Min, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from problems.vocabulary import Mode, Verdict
from web.accounts.models import User
from web.catalog.models import Problem
from web.submissions import best
from web.submissions.models import Progress, Report, Submission, Tally

UNCOUNTED = (Verdict.INTERNAL_ERROR.value, Verdict.CANCELLED.value)
_SUBMIT = Q(submission__mode=Mode.SUBMIT.value)
_ACCEPTED = _SUBMIT & Q(verdict=Verdict.ACCEPTED.value)
_COUNTS = """
INSERT INTO {progress} (user_id, problem_id, runs, judged, accepted, solved, latest)
SELECT user_id, problem_id,
       COUNT(*) FILTER (WHERE mode <> %(submit)s),
       COUNT(*) FILTER (WHERE mode = %(submit)s),
       COUNT(*) FILTER (WHERE mode = %(submit)s AND verdict = %(accepted)s),
       MIN(finished) FILTER (WHERE mode = %(submit)s AND verdict = %(accepted)s),
       MAX(finished)
  FROM {report} JOIN {submission} ON {submission}.id = submission_id
 WHERE verdict NOT IN (%(internal_error)s, %(cancelled)s)
 GROUP BY user_id, problem_id
"""
_SUMS = """
INSERT INTO {tally} (problem_id, judged, accepted, solvers)
SELECT {problem}.id, COALESCE(SUM(judged), 0), COALESCE(SUM(accepted), 0), COUNT(solved)
  FROM {problem} LEFT JOIN {progress} ON problem_id = {problem}.id
 GROUP BY {problem}.id
"""
_NOTHING: dict[str, Any] = {"runs": 0, "judged": 0, "accepted": 0, "solved": None, "latest": None}


def settle(submission_id: int) -> None:
    """Make progress, tally and bests agree with the reports, after one was written or deleted.

    Runs in the caller's transaction, which holds the problem's tally from here to its end: call it last.
    """
    user, problem = Submission.objects.values_list("user_id", "problem_id").get(pk=submission_id)
    tallies = Tally.objects.filter(problem=problem)
    if not tallies.select_for_update(no_key=True).values_list("judged").first():
        Tally.objects.bulk_create([Tally(problem_id=problem)], ignore_conflicts=True)
        tallies.select_for_update(no_key=True).values_list("judged").first()
    best.settle(user, problem)
    mine = Progress.objects.filter(user=user, problem=problem)
    before = mine.values(*_NOTHING).first() or _NOTHING
    after = _count(user, problem)
    if after == before:
        return
    if after["latest"] is None:
        mine.delete()
    elif not mine.update(**after):
        Progress.objects.create(user_id=user, problem_id=problem, **after)
    tallies.update(
        judged=F("judged") + after["judged"] - before["judged"],
        accepted=F("accepted") + after["accepted"] - before["accepted"],
        solvers=F("solvers") + int(after["accepted"] > 0) - int(before["accepted"] > 0),
    )


@transaction.atomic
def recount() -> tuple[int, int]:
    """Rebuild progress, tallies and bests from the reports. Return the number of rows of the first two."""
    tables = (Problem, Submission, Report, Progress, Tally)
    names = {table.__name__.lower(): connection.ops.quote_name(table._meta.db_table) for table in tables}  # noqa: SLF001 - Django's public name for it
    words = {"submit": Mode.SUBMIT, "accepted": Verdict.ACCEPTED}
    words |= {"internal_error": Verdict.INTERNAL_ERROR, "cancelled": Verdict.CANCELLED}
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # SQLite has one writer, and this transaction is it
            cursor.execute("LOCK TABLE {tally} IN EXCLUSIVE MODE".format(**names))
        for statement in ("DELETE FROM {tally}", "DELETE FROM {progress}", _COUNTS, _SUMS):
            values = {name: word.value for name, word in words.items()} if statement is _COUNTS else None
            cursor.execute(statement.format(**names), values)
    best.rebuild()
    return Progress.objects.count(), Tally.objects.count()


@transaction.atomic
def forget(user: User) -> None:
    """Remove the results of `user` from tallies and boards. Call it before the account is deleted.

    A result that is recorded at the same time may stay. Call it again when no more results can be recorded.
    """
    problems = list(Progress.objects.filter(user=user).values_list("problem", flat=True))
    tallies = Tally.objects.filter(problem__in=problems)
    list(tallies.order_by("problem").select_for_update(no_key=True))
    own = Progress.objects.filter(user=user, problem=OuterRef("problem"))
    tallies.update(
        # A call of `settle` may have deleted a row while this one waited for its tally.
        judged=F("judged") - Coalesce(Subquery(own.values("judged")), 0),
        accepted=F("accepted") - Coalesce(Subquery(own.values("accepted")), 0),
        solvers=F("solvers") - Coalesce(Subquery(own.values(solvers=Count("solved"))), 0),
    )
    Progress.objects.filter(user=user, problem__in=problems).delete()
    best.forget(user)


def _count(user: int, problem: int) -> dict[str, Any]:
    counted = Report.objects.filter(submission__user=user, submission__problem=problem)
    return counted.exclude(verdict__in=UNCOUNTED).aggregate(
        runs=Count("pk", filter=~_SUBMIT),
        judged=Count("pk", filter=_SUBMIT),
        accepted=Count("pk", filter=_ACCEPTED),
        solved=Min("finished", filter=_ACCEPTED),
        latest=Max("finished"),
    )
