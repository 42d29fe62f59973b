"""The invariants after all submissions are judged, whatever failed before. Runs in the auditor, with Django.

Every submission is done, with one report and one `finished` event per judgement. No lease is held. The
boards, the progress of users and the tallies of problems agree with the reports. Independent code counts the
reports for the comparison.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q

from problems.vocabulary import Mode, Verdict
from web.jobs.models import OPEN, JobState, job_models
from web.submissions import services
from web.submissions.models import Best, BestByChecker, Event, EventKind, Progress, Report, Submission, Tally

_BOARD = ("submission__user", "submission__problem", "version", "gpu_model", "submission__language")
_NAMED_AT_MOST = 5


def violations() -> list[str]:
    """Return the violated invariants in words. The result is empty if all hold."""
    checks = (_unfinished, _leases, _verdicts, _events, _boards, _counts)
    with transaction.atomic():
        found = [text for check in checks for text in check()]
        transaction.set_rollback(True)  # the recount was only for comparison
    return found


def _unfinished() -> Iterator[str]:
    yield from _named("not judged", Submission.objects.exclude(job__state=JobState.DONE))
    yield from _named("without a job", Submission.objects.filter(job__isnull=True))


def _leases() -> Iterator[str]:
    for model in job_models():
        open_ones = model._default_manager.filter(Q(state__in=OPEN) | Q(lease_until__isnull=False))
        yield from _named(f"{model._meta.verbose_name_plural} not over", open_ones)


def _verdicts() -> Iterator[str]:
    counted = Submission.objects.annotate(reports=Count("report"))
    yield from _named("without exactly one verdict", counted.exclude(reports=1))
    other = Report.objects.exclude(attempt=F("submission__job__attempt"))
    yield from _named("with the report of an attempt that was over", other.exclude(verdict="cancelled"))


def _events() -> Iterator[str]:
    finished = Count("events", filter=Q(events__kind=EventKind.FINISHED))
    queued = Count("events", filter=Q(events__kind=EventKind.QUEUED))
    yield from _named(
        "told of a verdict more or less than once",
        Submission.objects.annotate(finished=finished, queued=queued).exclude(finished=F("queued")),
    )
    rows = Event.objects.order_by("submission_id", "sequence").values_list(
        "submission_id", "sequence", "kind"
    )
    for submission, group in groupby(rows, key=lambda row: row[0]):
        events = [(sequence, kind) for _, sequence, kind in group]
        if [sequence for sequence, _ in events] != list(range(1, len(events) + 1)):
            yield f"the events of submission {submission} have gaps: {events}"
        if events[-1][1] != EventKind.FINISHED:
            yield f"submission {submission} was told of {events[-1][1]} after its verdict"


def _boards() -> Iterator[str]:
    """Compare the current bests with the lowest score per user and board, which plain Python finds here."""
    ranked = Report.objects.filter(
        ranked=True, verdict=Verdict.ACCEPTED.value, submission__mode=Mode.SUBMIT.value
    ).order_by("submission__created", "submission_id")
    least: dict[tuple[Any, ...], tuple[float, int]] = {}
    for *board, submission, score_us in ranked.values_list(*_BOARD, "submission", "score_us"):
        key = tuple(board)
        if key not in least or score_us < least[key][0]:
            least[key] = (score_us, submission)
    shown = {
        tuple(board): (score_us, submission)
        for *board, submission, score_us in Best.objects.filter(current=True).values_list(
            "user", "problem", "version", "gpu_model", "language", "submission", "score_us"
        )
    }
    if shown != least:
        yield f"the boards show {shown} where the reports say {least}"


def _counts() -> Iterator[str]:
    before = _counted()
    services.recount()
    for name, rows in _counted().items():
        if rows != before[name]:
            yield f"{name} {before[name]} where counting anew gives {rows}"


def _counted() -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows that are not all zeros: an untried problem has a tally of zeros or none."""
    return {
        table._meta.model_name: sorted(row for row in table.objects.values_list(*columns) if any(row[1:]))
        for table, columns in (
            (Progress, ("user", "problem", "runs", "judged", "accepted")),
            (Tally, ("problem", "judged", "accepted", "solvers")),
            (Best, ("submission", "score_us", "current", "record")),
            (BestByChecker, ("submission", "checker_score", "lowest", "highest", "latest")),
        )
    }


def _named(what: str, rows: Any) -> Iterator[str]:
    found = list(rows[: _NAMED_AT_MOST + 1])
    if found:
        names = ", ".join(str(row) for row in found[:_NAMED_AT_MOST])
        yield f"{what}: {names}{' and more' if len(found) > _NAMED_AT_MOST else ''}"
