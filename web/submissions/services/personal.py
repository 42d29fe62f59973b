"""Runs on personal nodes: claim, extend, return and record, for the API.

Theory of operation. The owner controls a personal node, and can read what it gets and forge what it says
(ADR 27). Four facts keep this harmless:

    claim     a node takes jobs only from the queue of its owner, which no other worker serves
    contents  it gets its owner's source and the public part of the problem (`web.packages.personal`)
    record    the report is reduced to feedback (`web.submissions.personal_report`)
    database  a constraint allows `personal_node` only for runs, and runs never count

Every later call names the run and the attempt, and finds only a job that this node holds now. Leases, fencing
and sweeps work as for all jobs (`web.jobs.queue`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction

from judge.report import Report
from problems.contents import Contents
from problems.vocabulary import Verdict
from web.accounts.models import User
from web.fleet.models import PersonalNode
from web.fleet.personal import remove_node
from web.jobs.models import JobState, personal_queue
from web.jobs.queue import Hold
from web.packages.personal import public_part
from web.site.clock import DatabaseNow
from web.submissions.models import Event, EventKind, Job
from web.submissions.personal_report import read_report
from web.submissions.services.job_queue import queue
from web.submissions.services.submitting import cancel

log = structlog.get_logger(__name__)

_CLOSED = "The problem no longer allows runs on personal nodes. Run the program on the site's nodes."
_MOST_RETURNS = 20
_REMOVED = "Cancelled because you removed your last node."


@dataclass(frozen=True, slots=True)
class PersonalRun:
    """A run that a personal node holds, with the public part of its problem."""

    job: Job
    contents: Contents


def claim_run(node: PersonalNode) -> PersonalRun | None:
    """Take the next run of the node's owner; None if there is none."""
    while (job := queue.claim_from([personal_queue(node.owner_id)], node.worker)) is not None:
        submission = job.submission
        contents = public_part(submission.problem, submission.package_id)
        if contents is not None and submission.personal_node and submission.user_id == node.owner_id:
            return PersonalRun(job, contents)
        log.warning("personal_run_refused", submission_id=submission.public_id)
        queue.record(job, Report(Verdict.CANCELLED, _CLOSED))
    return None


def find_run(node: PersonalNode, public_id: str, attempt: int) -> Job | None:
    """Return the job of a run if this node holds it under this attempt."""
    held = Job.objects.select_related("submission").filter(
        queue=personal_queue(node.owner_id),
        state=JobState.LEASED,
        worker=node.worker,
        attempt=attempt,
        submission__public_id=public_id,
        submission__user=node.owner_id,
        submission__personal_node=True,
    )
    return held.first()


def runs_held(owner: User) -> dict[str, str]:
    """Return the public ids of the runs that the nodes of `owner` judge now, by the nodes' names in jobs."""
    held = Job.objects.filter(
        queue=personal_queue(owner.pk), state=JobState.LEASED, lease_until__gte=DatabaseNow()
    )
    return dict(held.values_list("worker", "submission__public_id"))


def extend_run(job: Job) -> Hold:
    """Extend the lease of a run, and return whether to continue.

    A worker of the site enforces the time limit of a job itself. For a personal node, this function enforces
    it.
    """
    within = DatabaseNow() - timedelta(seconds=settings.WARPCOURT.job_limit_s)
    claims = Event.objects.filter(submission=job.submission_id, kind=EventKind.CLAIMED)
    return queue.extend_lease(job) if claims.filter(created__gte=within).exists() else Hold.LOST


def return_run(job: Job, *, failed: bool) -> bool:
    """Return a run to the queue.

    A failure counts as a try. Repeated returns count as well, so that a node cannot return a run forever.
    """
    return queue.return_to_queue(job, failed=failed or job.attempt > _MOST_RETURNS)


def record_run(node: PersonalNode, job: Job, body: Mapping[str, Any]) -> bool:
    """Store the report of a run as feedback. Return False if the lease was lost.

    Raises:
        web.submissions.personal_report.ReportRefused: the report is not in the form of a report.
    """
    return queue.record(job, read_report(body, node=node.name))


@transaction.atomic
def remove_personal_node(node: PersonalNode) -> None:
    """Remove a node. Its key stops working, and the runs that it holds return to the queue.

    If it was the owner's last node, waiting runs are cancelled.
    """
    mine = Job.objects.select_related("submission").filter(queue=personal_queue(node.owner_id))
    for job in mine.filter(state=JobState.LEASED, worker=node.worker):
        queue.return_to_queue(job, failed=False)
    if remove_node(node) == 0:
        for job in mine.filter(state=JobState.QUEUED):
            cancel(job.submission, message=_REMOVED)
