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
EARLIER = "earlier"  # every version but the live one


@dataclass(frozen=True, slots=True)
class RejudgeProgress:
    """The progress of a rejudge, in submissions. `verdicts` counts the changed verdicts."""

    total: int = 0
    done: int = 0
    verdicts: int = 0


def choose(chosen: Mapping[str, Any]) -> QuerySet[Submission]:
    """Return the judged submissions that a form chose, without runs. `chosen` is its cleaned data."""
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
    """Return the newest ten rejudges that run, or wait for a decision of staff, in one query."""
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
    """Return the progress of each of `rejudges`, by its key, in one query."""
    runs = HiddenRun.objects.filter(rejudge__in=rejudges).order_by().values("rejudge")
    counted = runs.annotate(
        total=Count("pk"),
        done=Count("pk", filter=~Q(change="")),
        verdicts=Count("pk", filter=Q(change=Change.VERDICT)),
    )
    return {row["rejudge"]: RejudgeProgress(row["total"], row["done"], row["verdicts"]) for row in counted}


def count_changes(rejudge: Rejudge) -> list[tuple[str, str, str, int]]:
    """Return the number of runs for each pair of verdicts: `(change, before, now, count)`."""
    rows = rejudge.runs.exclude(change="").order_by().values_list("change", "old_verdict", "verdict")
    return sorted(rows.annotate(count=Count("pk")), key=lambda row: -row[3])


def list_runs(rejudge: Rejudge, *, change: str = "", after: int | None = None) -> QuerySet[HiddenRun]:
    """Return runs of a rejudge in the order of their submissions, without their reports."""
    runs = rejudge.runs.select_related("submission__user", "submission__problem").defer(
        "body", "listings", *UNREAD
    )
    if change:
        runs = runs.filter(change=change)
    return (runs.filter(pk__gt=after) if after is not None else runs).order_by("pk")


def count_applied(rejudge: Rejudge) -> dict[str, int]:
    """Return the number of runs by resolution."""
    return dict(rejudge.runs.order_by().values_list("resolution").annotate(count=Count("pk")))
