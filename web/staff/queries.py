"""Reads for the staff pages. Every list is bounded by a page and found by an index."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from problems.vocabulary import Verdict
from web.audit.models import AuditEntry
from web.fleet.queries import offered_gpu_models
from web.jobs.models import OPEN, ORDER, PERSONAL, JobState
from web.jobs.queries import Task, tasks_held
from web.rejudges.queries import UNREAD
from web.site.clock import DatabaseNow
from web.submissions.models import Job, Report, Submission

LONG_WAIT = timedelta(minutes=10)
RECENT_REPORTS = 500
Place = tuple[int, int, datetime, int]


class Stuck(StrEnum):
    """The reason why a submission gets no verdict without help."""

    EXPIRED = "expired"
    GAVE_UP = "gave_up"
    WAITING = "waiting"
    NO_GPU = "no_gpu"


@dataclass(frozen=True, slots=True)
class QueueLoad:
    """The state of the queue. `oldest` is when the longest waiting job was queued."""

    queued: int
    leased: int
    oldest: datetime | None
    expired: int
    waiting: int
    no_gpu: int


@dataclass(frozen=True, slots=True)
class WorkerNow:
    """A worker process. `judging` counts its jobs of all kinds.

    `heard` is the time of its last activity in the database.
    """

    name: str
    judging: int
    heard: datetime
    recent: int
    failed: int


def load(offered: Collection[str], now: datetime | None = None) -> QueueLoad:
    """Return the queue in numbers, in one query. `offered` are the GPU models that users may request."""
    moment = now or DatabaseNow()
    queued = Q(state=JobState.QUEUED)
    no_gpu = queued & ~Q(submission__gpu_model__in=["", *offered])
    # The names differ from those of the columns, because an aggregate hides a column of its name from later
    # aggregates.
    found = (
        Job.objects.filter(state__in=OPEN)
        .exclude(queue__startswith=PERSONAL)
        .aggregate(
            n_queued=Count("pk", filter=queued),
            n_leased=Count("pk", filter=Q(state=JobState.LEASED)),
            first=Min("queued", filter=queued),
            n_expired=Count("pk", filter=Q(state=JobState.LEASED, lease_until__lt=moment)),
            n_waiting=Count("pk", filter=queued & Q(queued__lt=moment - LONG_WAIT)),
            n_no_gpu=Count("pk", filter=no_gpu),
        )
    )
    return QueueLoad(
        queued=found["n_queued"],
        leased=found["n_leased"],
        oldest=found["first"],
        expired=found["n_expired"],
        waiting=found["n_waiting"],
        no_gpu=found["n_no_gpu"],
    )


def list_jobs(
    *,
    state: JobState | None = None,
    queue: str = "",
    problem: str = "",
    person: str = "",
    after: Place | None = None,
) -> QuerySet[Job]:
    """Return unfinished jobs in the order in which workers take them from each queue.

    `after` is the `(priority, fair_share_rank, queued, pk)` of the last row of the page before.
    """
    jobs = _jobs().filter(state__in=OPEN)
    if queue:
        jobs = jobs.filter(queue=queue)
    if state:
        jobs = jobs.filter(state=state)
    if problem:
        jobs = jobs.filter(submission__problem__slug=problem)
    if person:
        jobs = jobs.filter(submission__user__username__iexact=person)
    if after is not None:
        priority, rank, queued, pk = after
        later = Q(queued__gt=queued) | Q(queued=queued, pk__gt=pk)
        later = Q(fair_share_rank__gt=rank) | (Q(fair_share_rank=rank) & later)
        jobs = jobs.filter(Q(priority__lt=priority) | (Q(priority=priority) & later))
    return jobs.order_by(*ORDER)


def list_stuck(kind: Stuck, *, before: int | None = None, now: datetime | None = None) -> QuerySet[Job]:
    """Return jobs that are stuck in one way, newest first.

    `before` is the key of the last row of the page before. Jobs that failed permanently are over: their
    verdict is `internal_error`.
    """
    moment = now or DatabaseNow()
    jobs = _jobs()
    match kind:
        case Stuck.EXPIRED:
            jobs = jobs.filter(state=JobState.LEASED, lease_until__lt=moment)
        case Stuck.GAVE_UP:
            jobs = jobs.filter(submission__report__verdict=Verdict.INTERNAL_ERROR.value, state=JobState.DONE)
        case Stuck.WAITING:
            jobs = jobs.filter(state=JobState.QUEUED, queued__lt=moment - LONG_WAIT)
            jobs = jobs.exclude(queue__startswith=PERSONAL)
        case Stuck.NO_GPU:
            offered = ["", *offered_gpu_models(now)]
            jobs = jobs.filter(state=JobState.QUEUED).exclude(submission__gpu_model__in=offered)
    return (jobs.filter(pk__lt=before) if before is not None else jobs).order_by("-pk")


def list_workers(now: datetime | None = None, held: Iterable[Task] | None = None) -> list[WorkerNow]:
    """Return processes that hold a job or recorded one of the last reports, the latest sign of life first.

    `held` are `jobs.queries.tasks_held`; without it they are queried. There is no other record of a worker:
    one that has not judged lately is not listed.
    """
    now = now or timezone.now()
    lease = timedelta(seconds=settings.WARPCOURT.lease_s)
    seen: dict[str, WorkerNow] = {}
    for task in tasks_held() if held is None else held:
        known = seen.get(task.worker, WorkerNow(task.worker, 0, now - lease, 0, 0))
        heard = min(task.until - lease, now) if task.until else known.heard
        seen[task.worker] = replace(known, judging=known.judging + 1, heard=max(known.heard, heard))
    ours = Report.objects.filter(submission__personal_node=False).order_by("-pk")
    recent = ours.values_list("submission__job__worker", "finished", "verdict")
    for name, finished, verdict in recent[:RECENT_REPORTS]:
        known = seen.get(name, WorkerNow(name, 0, finished, 0, 0))
        failed = known.failed + (verdict == Verdict.INTERNAL_ERROR.value)
        seen[name] = WorkerNow(name, known.judging, max(known.heard, finished), known.recent + 1, failed)
    seen.pop("", None)  # cancelled before a worker took it, or judged by a rejudge
    return sorted(seen.values(), key=lambda worker: worker.heard, reverse=True)


def find_submission(public_id: str) -> Submission | None:
    """Return a submission for staff."""
    return Submission.objects.filter(public_id=public_id).select_related("job", "problem", "user").first()


def list_audit_entries(
    *, actor: str = "", kind: str = "", target: str = "", before: int | None = None
) -> QuerySet[AuditEntry]:
    """Return the audit log, newest first. `target` is a prefix of the name of the target."""
    entries = AuditEntry.objects.all()
    if actor:
        entries = entries.filter(actor_name__iexact=actor)
    if kind:
        entries = entries.filter(kind=kind)
    if target:
        entries = entries.filter(target_text__istartswith=target)
    return entries.filter(pk__lt=before) if before is not None else entries


def _jobs() -> QuerySet[Job]:
    related = Job.objects.select_related("submission__user", "submission__problem", "submission__report")
    return related.defer(*UNREAD, "submission__report__body", "submission__report__message")
