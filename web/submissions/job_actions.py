"""Staff's actions on single jobs, each recorded in the audit log."""

from functools import partial

from django.db import transaction

from web.accounts.models import User
from web.audit.models import AuditKind
from web.audit.services import log
from web.jobs import wakeup
from web.jobs.models import JobState
from web.site.clock import DatabaseNow
from web.submissions import services
from web.submissions.models import EventKind, Job, Report, Submission
from web.submissions.services.journal import append


@transaction.atomic
def cancel(submission: Submission, staff: User, *, reason: str) -> bool:
    """Cancel `submission`; its author reads `reason`. Return False if it is over already."""
    cancelled = services.cancel(submission, message=f"Cancelled by staff: {reason}")
    if cancelled:
        log(staff, AuditKind.CANCEL, submission, reason=reason)
    return cancelled


@transaction.atomic
def requeue(submission: Submission, staff: User) -> bool:
    """Let another worker start from scratch, with all tries, on any host.

    Return False if there is nothing to reset, a worker holds it, or it is over. If the old worker comes back
    late, its writes change nothing: they name an attempt that the next claim ends.
    """
    lost = Job.objects.filter(submission=submission, state=JobState.LEASED, lease_until__lt=DatabaseNow())
    queued = lost.update(
        state=JobState.QUEUED,
        lease_until=None,
        worker="",
        tries=0,
        excluded_hosts={},
        cancel_requested=False,
    )
    if not queued:
        waiting = Job.objects.filter(submission=submission, state=JobState.QUEUED)
        queued = waiting.exclude(tries=0, excluded_hosts={}).update(tries=0, excluded_hosts={})
    if queued:
        append(submission.pk, EventKind.RETRIED, {"text": "Requeued by staff"})
        log(staff, AuditKind.REQUEUE, submission)
        transaction.on_commit(partial(wakeup.wake, submission.job.queue))
    return queued > 0


@transaction.atomic
def judge_again(submission: Submission, staff: User) -> bool:
    """Rejudge `submission` at once and delete its report. Return False while it is being judged."""
    old = Report.objects.filter(submission=submission).values_list("verdict", flat=True).first()
    again = services.rejudge(submission)
    if again:
        log(staff, AuditKind.REJUDGE, submission, verdict=old)
    return again
