"""The queue of submissions: the effects of claims and ends. The rest is in `web.jobs.queue`."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from judge.report import Report
from problems.vocabulary import Verdict
from web.jobs.models import PERSONAL, JobState, is_personal
from web.jobs.queue import SWEPT_AT_ONCE, Failure, HostsOf, JobQueue, Swept
from web.site import metrics
from web.submissions.models import Event, EventKind, Job
from web.submissions.queues import served_by
from web.submissions.services.journal import add_listings, append, conclude
from web.submissions.services.routing import route

_BLAMELESS = "This was not caused by your code and does not count. Staff can rejudge the submission."
_NODE_FAILED = "Your node could not judge this run. Read its log, or run the program on the site's nodes."
_NODE_STOPPED = "Your node did not finish this run. Waiting for your node"
_NO_NODE = "Cancelled because you have no node left. Run the program on the site's nodes."
_NO_GPUS = (
    "No node can judge this: the problem needs {gpus} GPUs of one node, and no node has them now. Your code "
    "is not the cause. Submit it again later."
)
_MESSAGES = {
    Failure.TRIES_USED: f"The judge failed. {_BLAMELESS}",
    Failure.WORKER_HUNG: f"The judge could not read this source in time. {_BLAMELESS}",
    Failure.NO_HOST: f"No worker has everything that this submission needs. {_BLAMELESS}",
}


class SubmissionQueue(JobQueue[Job]):
    """Submissions that wait for a verdict. Each step is an event for clients."""

    model = Job
    cancelling = Q(cancel_requested=True)

    def served_by(self, gpu_models: Collection[str]) -> tuple[str, ...]:
        """Return the queues of the worker's hardware."""
        return served_by(gpu_models)

    def rows(self) -> QuerySet[Job]:
        """Return the jobs with the submission and its problem."""
        return Job.objects.select_related("submission__problem")

    def claim_from(self, queues: Collection[str], worker: str) -> Job | None:
        """Claim the next job, and count how long it has waited."""
        job = super().claim_from(queues, worker)
        if job is not None and not is_personal(job.queue):
            _count_claim(job)
        return job

    def claimed(self, job: Job) -> None:
        """Append the event."""
        text = "Picked up by your node" if is_personal(job.queue) else "Picked up by a worker"
        append(job.submission_id, EventKind.CLAIMED, {"text": text})

    def requeued(self, job: Job, why: str) -> None:
        """Append the event."""
        text = _NODE_STOPPED if is_personal(job.queue) else why
        append(job.submission_id, EventKind.RETRIED, {"text": text})

    @transaction.atomic
    def add_event(self, job: Job, kind: EventKind, payload: Mapping[str, object]) -> Event:
        """Append an event about a step.

        Raises:
            LeaseLost: the job is no longer this worker's.
        """
        self.tell(job)
        return append(job.submission_id, kind, payload)

    @transaction.atomic
    def record(self, job: Job, report: Report) -> bool:
        """Store the report, its cases and the final event. Return False if the lease was lost."""
        return conclude(job, report)

    def add_listings(self, job: Job, listings: Mapping[str, str]) -> None:
        """Store compiler listings that were made after the report of `job`, unless it was replaced since."""
        add_listings(job, listings)

    def fail(self, job: Job, failure: Failure) -> bool:
        """Conclude with the verdict `internal_error`, or with `cancelled` if cancellation was requested.

        If a personal node fails, staff cannot repair it, so the verdict is not `internal_error`. Nor is it if
        no node has the GPUs that a problem needs together.
        """
        if self.mine(job).filter(self.cancelling).exists():
            return conclude(job, Report(Verdict.CANCELLED, "Cancelled by its author or by staff."))
        if is_personal(job.queue):
            return conclude(job, Report(Verdict.CANCELLED, _NODE_FAILED))
        gpus = job.submission.problem.gpu_count
        if failure is Failure.NO_HOST and gpus > 1:
            return conclude(job, Report(Verdict.CANCELLED, _NO_GPUS.format(gpus=gpus)))
        return conclude(job, Report(Verdict.INTERNAL_ERROR, _MESSAGES[failure]))

    def sweep(self, *, now: datetime | None = None, hosts: HostsOf | None = None) -> Swept:
        """Sweep, after moving jobs that no worker serves, and ending runs whose user has no node left."""
        route()
        ended = self._end_without_node()
        swept = super().sweep(now=now, hosts=hosts)
        return replace(swept, concluded=swept.concluded + ended)

    def _end_without_node(self) -> int:
        waiting = self.rows().filter(state=JobState.QUEUED, queue__startswith=PERSONAL)
        left = waiting.filter(user__personal_nodes__isnull=True)[:SWEPT_AT_ONCE]
        return sum(self.record(job, Report(Verdict.CANCELLED, _NO_NODE)) for job in left)


def _count_claim(job: Job) -> None:
    metrics.CLAIMS.labels(queue=job.queue).inc()
    if job.tries == 1 and job.lease_until:  # the wait of later tries has other reasons
        taken = job.lease_until - timedelta(seconds=settings.WARPCOURT.lease_s)
        waited_s = max(0.0, (taken - job.queued).total_seconds())
        metrics.WAIT_SECONDS.labels(queue=job.queue).observe(waited_s)


queue = SubmissionQueue()
