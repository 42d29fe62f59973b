"""The two writes that every other service is made of: an event, and the end of a job.

Both run in the caller's transaction.
"""

from collections.abc import Mapping

from django.db.models import F
from django.utils import timezone

from judge import report as judge_report
from web.submissions.models import CaseResult, Event, EventKind, Job, Report, Status


def append(submission_id: int, kind: EventKind, payload: Mapping[str, object]) -> Event:
    """Append an event. The job's row hands out the number, so two writers never take the same."""
    Job.objects.filter(submission=submission_id).update(events=F("events") + 1)
    sequence = Job.objects.values_list("events", flat=True).get(submission=submission_id)
    return Event.objects.create(
        submission_id=submission_id, sequence=sequence, kind=kind, payload=dict(payload)
    )


def conclude(submission_id: int, *, attempt: int, status: Status, report: judge_report.Report) -> bool:
    """Give the submission its verdict, if its job is still in `status` at `attempt`. False if not.

    The conditional UPDATE comes first: it is what makes the verdict one, and its row lock holds off
    everybody else until the report, the cases and the event are in.
    """
    mine = Job.objects.filter(submission=submission_id, attempt=attempt, status=status)
    if not mine.update(status=Status.DONE, lease_until=None):
        return False
    stored = Report.objects.create(
        submission_id=submission_id,
        attempt=attempt,
        verdict=report.verdict.value,
        message=report.message,
        ranked=report.ranked,
        body=judge_report.to_json(report),
        finished=timezone.now(),
    )
    CaseResult.objects.bulk_create(
        CaseResult(
            report=stored,
            position=position,
            name=case.name,
            group=case.group.value,
            public=case.public,
            verdict=case.verdict.value,
            wall_ms=case.wall_ms,
        )
        for position, case in enumerate(report.cases)
    )
    append(submission_id, EventKind.FINISHED, {"verdict": report.verdict.value, "text": report.message})
    return True
