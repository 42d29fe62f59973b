"""Copies submissions inside the database. This takes seconds, where Python would take an hour."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import F, Max, Min, Model, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Concat, Substr

from web.catalog.models import Problem
from web.submissions.models import CaseResult, Job, Report, Submission

ALPHABET = "23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
_LATER_S = 41.7
_PEOPLE_STEP, _PROBLEMS_STEP = 101, 37  # primes, so that copies get other users and other problems


class NotFresh(Exception):
    """Raised when the database was used before, so that generated rows never mix with real ones."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """The submissions to copy, and the keys of the problems and users that the copies can get.

    The keys have no gaps, so that arithmetic on one key gives another.
    """

    problems: range
    users: range
    submissions: range
    jobs: range
    reports: range
    cases: range

    @classmethod
    def of(cls, problems: Iterable[int], users: Iterable[int]) -> "Pattern":
        """Return a pattern of all stored submissions.

        Raises:
            NotFresh: the keys of problems or users have gaps.
        """
        rows = (Submission.objects.all(), Job.objects.all(), Report.objects.all(), CaseResult.objects.all())
        return cls(_without_gaps(problems), _without_gaps(users), *(_extent(some) for some in rows))

    @transaction.atomic
    def copy(self, number: int, *, most: int) -> None:
        """Make the `number`-th copy of the pattern, with at most `most` submissions and all related rows.

        Odd copies have other users, and even copies have other problems. The dates of each copy are a little
        later.
        """
        later = timedelta(seconds=_LATER_S * number)
        turns = (number * _PEOPLE_STEP, 0) if number % 2 else (0, number * _PROBLEMS_STEP)
        submissions, jobs, reports, cases = (
            number * len(keys) for keys in (self.submissions, self.jobs, self.reports, self.cases)
        )
        first = self.submissions.start
        which = {"pk__gte": first, "pk__lt": first + min(most, len(self.submissions))}
        chosen = Submission.objects.filter(**which)
        _insert(
            chosen,
            pk=F("pk") + submissions,
            public_id=Concat(Substr("public_id", 1, 9), Value(copy_code(number))),
            user_id=_turned(F("user_id"), self.users, turns[0]),
            problem_id=_turned(F("problem_id"), self.problems, turns[1]),
            version=Subquery(Problem.objects.filter(pk=OuterRef("new_problem_id")).values("version")),
            created=F("created") + later,
        )
        _insert(
            Job.objects.filter(submission__in=chosen),
            pk=F("pk") + jobs,
            submission_id=F("submission_id") + submissions,
            queued=F("queued") + later,
        )
        handed_in = Submission.objects.filter(pk=OuterRef("new_submission_id"))
        _insert(
            Report.objects.filter(submission__in=chosen),
            pk=F("pk") + reports,
            submission_id=F("submission_id") + submissions,
            version=Subquery(handed_in.values("version")),
            finished=F("finished") + later,
        )
        _insert(
            CaseResult.objects.filter(report__submission__in=chosen),
            pk=F("pk") + cases,
            report_id=F("report_id") + reports,
        )
        _hand_out_later_keys()


def _without_gaps(keys: Iterable[int]) -> range:
    known = sorted(keys)
    if known[-1] - known[0] + 1 != len(known):
        raise NotFresh("The keys in this database have gaps. Name one that was never used.")
    return range(known[0], known[-1] + 1)


def _extent(rows: QuerySet[Any]) -> range:
    ends = rows.aggregate(least=Min("pk"), most=Max("pk"))
    return range(ends["least"] or 0, (ends["most"] or 0) + 1)


def _turned(key: F, among: range, steps: int) -> Combinable:
    return (key - among.start + steps) % len(among) + among.start


def copy_code(number: int) -> str:
    """Return three characters that identify a copy at the end of its public ids. The pattern has number 0."""
    base = len(ALPHABET)
    return "".join(ALPHABET[number // base**place % base] for place in (2, 1, 0))


def _insert(rows: QuerySet[Any], **changes: Any) -> None:
    """Insert copies of `rows`. `changes` has the new values of columns, by their attribute names."""
    meta = rows.model._meta  # noqa: SLF001 - Django's public name for it
    names = [meta.pk.attname if name == "pk" else name for name in changes]
    rows = rows.annotate(**{f"new_{name}": made for name, made in zip(names, changes.values(), strict=True)})
    columns = meta.concrete_fields
    picked = [f"new_{column.attname}" if column.attname in names else column.attname for column in columns]
    select, values = rows.order_by().values_list(*picked).query.get_compiler(connection=connection).as_sql()
    into = ", ".join(connection.ops.quote_name(column.column) for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {connection.ops.quote_name(meta.db_table)} ({into}) {select}", values)


def _hand_out_later_keys() -> None:
    """Reset the sequences of the database to the keys that were inserted."""
    tables: list[type[Model]] = [Submission, Job, Report, CaseResult]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)
