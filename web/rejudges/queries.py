"""Reads about rejudges. Lists are bounded by a page and found by an index."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from problems.vocabulary import Mode
from web.jobs.models import JobState
from web.rejudges.models import UNANSWERED, Change, HiddenRun, Rejudge
from web.submissions.models import Submission

UNREAD = (
    "submission__source",
    "submission__problem__statement",
    "submission__problem__editorial",
    "submission__problem__starters",
)
EARLIER = "earlier"  # every version but the present one


@dataclass(frozen=True, slots=True)
class RejudgeProgress:
    """How far a rejudge has come, in submissions. `verdicts` of the judged got another verdict."""

    total: int = 0
    done: int = 0
    verdicts: int = 0


def choose(chosen: Mapping[str, Any]) -> QuerySet[Submission]:
    """The judged submissions that a form chose; runs are left out. `chosen` is its cleaned data."""
    found = Submission.objects.filter(mode=Mode.SUBMIT.value, job__state=JobState.DONE, report__isnull=False)
    columns = {
        "problem": "problem",
        "language": "language",
        "verdicts": "report__verdict__in",
        "since": "created__gte",
        "until": "created__lte",
        "ids": "public_id__in",
    }
    for name, column in columns.items():
        if chosen.get(name):
            found = found.filter(**{column: chosen[name]})
    version = chosen.get("version")
    if version == EARLIER:
        return found.exclude(report__version=F("problem__version"))
    return found.filter(report__version__startswith=version) if version else found


def list_rejudges(*, before: int | None = None) -> QuerySet[Rejudge]:
    """Rejudges, newest first."""
    rejudges = Rejudge.objects.select_related("creator")
    return rejudges.filter(pk__lt=before) if before is not None else rejudges


def open_rejudges() -> list[tuple[Rejudge, RejudgeProgress]]:
    """Those that run, or wait for an answer of staff, the newest ten, in one query."""
    counted = (
        Rejudge.objects.select_related("creator")
        .filter(state__in=UNANSWERED)
        .annotate(
            total=Count("runs"),
            done=Count("runs", filter=~Q(runs__change="")),
            verdicts=Count("runs", filter=Q(runs__change=Change.VERDICT)),
        )
    )
    return [(row, RejudgeProgress(row.total, row.done, row.verdicts)) for row in counted[:10]]


def progress_of(rejudges: list[Rejudge]) -> dict[int, RejudgeProgress]:
    """How far each of `rejudges` has come, by its key, in one query."""
    runs = HiddenRun.objects.filter(rejudge__in=rejudges).order_by().values("rejudge")
    counted = runs.annotate(
        total=Count("pk"),
        done=Count("pk", filter=~Q(change="")),
        verdicts=Count("pk", filter=Q(change=Change.VERDICT)),
    )
    return {row["rejudge"]: RejudgeProgress(row["total"], row["done"], row["verdicts"]) for row in counted}


def count_changes(rejudge: Rejudge) -> list[tuple[str, str, str, int]]:
    """How many runs went from which verdict to which, and how: `(change, before, now, count)`."""
    rows = rejudge.runs.exclude(change="").order_by().values_list("change", "old_verdict", "verdict")
    return sorted(rows.annotate(count=Count("pk")), key=lambda row: -row[3])


def list_runs(rejudge: Rejudge, *, change: str = "", after: int | None = None) -> QuerySet[HiddenRun]:
    """Runs of a rejudge in the order of their submissions, without their reports."""
    runs = rejudge.runs.select_related("submission__user", "submission__problem").defer(
        "body", "listings", *UNREAD
    )
    if change:
        runs = runs.filter(change=change)
    return (runs.filter(pk__gt=after) if after is not None else runs).order_by("pk")


def count_applied(rejudge: Rejudge) -> dict[str, int]:
    """How many runs were resolved in which way."""
    return dict(rejudge.runs.order_by().values_list("resolution").annotate(count=Count("pk")))
