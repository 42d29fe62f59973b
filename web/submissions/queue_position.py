"""The queue positions of waiting jobs: the place, an estimate of the wait, and what holds a job up.

Theory of operation. The head of each queue is read in the order of claims. The place of a job counts the jobs
that the same workers may take before it. For example, the place of a job for a B200 does not depend on jobs
for an H200, unless a worker has both models. Workers report their hardware themselves.

The duration of a job is the median of recent jobs, by language, mode and GPU. It is cached for some seconds;
with too few jobs there is no estimate. All of this is for display only: no decision depends on it. A place is
valid for the moment. A more urgent job may still come in between, and a user's second program moves up when
the first is judged.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.core.cache import cache
from django.db.models import Count, Max, Q
from django.utils import timezone

from problems.vocabulary import Language, Verdict
from web.fleet.queries import offered_gpu_models
from web.jobs.models import CPU, PERSONAL, JobState, is_personal
from web.submissions import worker_pools
from web.submissions.models import Event, EventKind, Job, Report, Submission
from web.submissions.queues import GPU
from web.submissions.services.job_queue import queue as submission_queue
from web.submissions.worker_pools import WorkerPool

HEAD_ROWS = 2000  # rows of each queue; jobs beyond them have no exact place
MIN_SAMPLES = 3
_SAMPLES = 200
_SAMPLE_AGE = timedelta(days=1)
_KEEP_S = 10
_CACHE_KEY = "typical-seconds"
_UNTOUCHED_S = 30.0  # the time of several sweeps; a live worker would have taken the job
_PERSONAL_TROUBLE = (
    "Your node takes this run as soon as it is free. If the node is not running, start it or cancel the run."
)
_OURS = [Verdict.CANCELLED.value, Verdict.INTERNAL_ERROR.value]

Kind = tuple[str, str, str]  # language, mode, GPU model; an empty model stands for all models together


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """The position of a waiting job. `place` is 1 for the next one, None beyond HEAD_ROWS.

    `estimate_s` is the estimated time until its verdict, None if unknown. `trouble` says why it does not move
    up and what to do, empty if it does.
    """

    place: int | None
    estimate_s: float | None = None
    trouble: str = ""

    @property
    def text(self) -> str:
        """Return the place in words: `3rd in the queue`."""
        if self.trouble:
            return "Waiting"
        if self.place is None:
            return f"Queued behind more than {HEAD_ROWS:,} others"
        return "Next in the queue" if self.place == 1 else f"{ordinal(self.place)} in the queue"

    @property
    def detail(self) -> str:
        """Return what holds it up, or the estimated wait; empty if neither is known."""
        if self.trouble or self.estimate_s is None:
            return self.trouble
        return f"Estimated time to verdict: {roughly(self.estimate_s)}."


@dataclass(frozen=True, slots=True)
class _WaitingJob:
    """A job of a queue. Claims sort by the first four columns."""

    priority: int
    rank: int
    queued: datetime
    pk: int
    submission_id: int
    queue: str
    language: str
    mode: str
    gpu_model: str

    @property
    def order(self) -> tuple[int, int, datetime, int]:
        """Return the sort key of claims."""
        return -self.priority, self.rank, self.queued, self.pk


_COLUMNS = (
    *("priority", "fair_share_rank", "queued", "pk", "submission_id", "queue"),
    *("submission__language", "submission__mode", "submission__gpu_model"),
)


@dataclass(slots=True)
class _Ahead:
    """Jobs before a position: their number, their known work, and the number of those with unknown work."""

    count: int = 0
    work_s: float = 0.0
    unknown: int = 0

    def add(self, work_s: float | None) -> None:
        """Return the sum with one more job."""
        self.count += 1
        if work_s is None:
            self.unknown += 1
        else:
            self.work_s += work_s

    def and_also(self, other: "_Ahead") -> "_Ahead":
        """Return the sum of both."""
        return _Ahead(self.count + other.count, self.work_s + other.work_s, self.unknown + other.unknown)


def queue_positions(submission_ids: Collection[int]) -> dict[int, QueuePosition]:
    """Return the positions of those of `submission_ids` that wait for a worker."""
    queues = _queues()
    wanted = set(submission_ids)
    found = _positions_at_personal_nodes(wanted) if any(map(is_personal, queues)) else {}
    heads = _heads(queue for queue in queues if not is_personal(queue))
    if not heads or not wanted:
        return found
    full = {queue for queue, head in heads.items() if len(head) == HEAD_ROWS}
    pools = worker_pools.of_queues(heads, judging=_judging())
    offered = offered_gpu_models() if heads.keys() - {CPU} else ()
    typical = typical_seconds()
    passed: defaultdict[str, _Ahead] = defaultdict(_Ahead)
    beyond: set[str] = set()  # queues that were read only in part
    for job in sorted((job for head in heads.values() for job in head), key=lambda job: job.order):
        own_s = typical.get((job.language, job.mode, job.gpu_model))
        pool = pools[job.queue]
        if job.submission_id in wanted:
            ahead = _Ahead()
            for queue in pool.queues:
                ahead = ahead.and_also(passed[queue])
            place = None if beyond & pool.queues else ahead.count + 1
            trouble = _trouble(job, pool, offered)
            known = place is not None and not trouble
            estimate_s = _estimate_s(own_s, ahead, pool) if known else None
            found[job.submission_id] = QueuePosition(place, estimate_s, trouble)
        passed[job.queue].add(own_s)
        if job.queue in full and passed[job.queue].count == HEAD_ROWS:
            beyond.add(job.queue)
    if full:
        behind = Job.objects.filter(state=JobState.QUEUED, submission__in=wanted - found.keys())
        found |= {pk: QueuePosition(None) for pk in behind.values_list("submission_id", flat=True)}
    return found


def jobs_before(submission: Submission) -> int:
    """Return the number of jobs before this one; 0 for the next job, and for one that does not wait."""
    job = submission.job
    if job.state != JobState.QUEUED:
        return 0
    pool = worker_pools.of_queues([job.queue], judging={})[job.queue]
    sooner = Q(queued__lt=job.queued) | Q(queued=job.queued, pk__lt=job.pk)
    sooner = Q(fair_share_rank__lt=job.fair_share_rank) | Q(fair_share_rank=job.fair_share_rank) & sooner
    sooner = Q(priority__gt=job.priority) | Q(priority=job.priority) & sooner
    return Job.objects.filter(sooner, state=JobState.QUEUED, queue__in=pool.queues).count()


def typical_seconds() -> Mapping[Kind, float]:
    """Return the recent durations from claim to verdict: medians, for kinds with enough jobs."""
    rows = cache.get(_CACHE_KEY)
    if rows is None:
        rows = [(*kind, seconds) for kind, seconds in _measure().items()]
        cache.set(_CACHE_KEY, rows, _KEEP_S)
    return {(language, mode, model): seconds for language, mode, model, seconds in rows}


def ordinal(number: int) -> str:
    """Return an ordinal: `1st`, `2nd`, `3rd`, `11th`, `1,203rd`."""
    teens = 10 <= number % 100 < 20
    ending = "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def roughly(seconds: float) -> str:
    """Return a rounded duration, as for an estimate: `a few seconds`, `25 s`, `3 min`."""
    if seconds < 5:
        return "a few seconds"
    if seconds < 90:
        return f"{5 * round(seconds / 5)} s"
    return f"{round(seconds / 60)} min"


def _queues() -> list[str]:
    """Return the queues with waiting jobs."""
    queues = Job.objects.filter(state=JobState.QUEUED).order_by("queue").values_list("queue", flat=True)
    return list(queues.distinct())


def _heads(queues: Iterable[str]) -> dict[str, list[_WaitingJob]]:
    """Return the first jobs of each queue, in order."""
    return {
        queue: [
            _WaitingJob(*row) for row in submission_queue.in_line(queue).values_list(*_COLUMNS)[:HEAD_ROWS]
        ]
        for queue in queues
    }


def _positions_at_personal_nodes(wanted: Collection[int]) -> dict[int, QueuePosition]:
    waiting = Job.objects.filter(
        state=JobState.QUEUED, queue__startswith=PERSONAL, submission__in=wanted
    ).values_list("submission_id", flat=True)
    return {pk: QueuePosition(None, trouble=_PERSONAL_TROUBLE) for pk in waiting}


def _judging() -> Mapping[str, int]:
    """Return the number of running jobs by queue."""
    leased = Job.objects.filter(state=JobState.LEASED).order_by("queue")
    return dict(leased.values_list("queue").annotate(Count("pk")))


def _trouble(job: _WaitingJob, pool: WorkerPool, offered: Collection[str]) -> str:
    if job.gpu_model and job.gpu_model not in offered:
        return (
            f"No {job.gpu_model} is available any more. The submission waits until one is back. "
            "To get a verdict sooner, cancel it and submit with any GPU."
        )
    patient = (timezone.now() - job.queued).total_seconds() <= _UNTOUCHED_S
    if job.queue == GPU and not offered and not patient:
        return (
            "No GPU is available. The submission waits a few minutes for one. "
            "Then it is judged without a GPU and not ranked."
        )
    # Without any report, a worker may just be starting.
    if pool.away and (pool.reported or not patient):
        return (
            f"No node serves {job.gpu_model or Language(job.language).label} at the moment. "
            "The submission will be judged as soon as one does. You can leave this page."
        )
    return ""


def _estimate_s(own_s: float | None, ahead: _Ahead, pool: WorkerPool) -> float | None:
    """Return the estimated time until the verdict.

    It is the sum of the work ahead divided among the workers, half a judgement for running jobs, and the
    job's own time.
    """
    if own_s is None or ahead.unknown:
        return None
    rest_s = own_s / 2 if pool.judging else 0.0
    return rest_s + ahead.work_s / max(1, pool.slots) + own_s


def _measure() -> Mapping[Kind, float]:
    trusted = Report.objects.filter(submission__personal_node=False)
    latest = trusted.exclude(verdict__in=_OURS).order_by("-pk")
    columns = ("submission__language", "submission__mode", "gpu_model", "finished")
    since = timezone.now() - _SAMPLE_AGE
    # The age is checked here: with few recent jobs, the database would scan all jobs.
    rows = [row for row in latest.values_list("submission_id", *columns)[:_SAMPLES] if row[-1] >= since]
    claims = Event.objects.filter(submission__in=[row[0] for row in rows], kind=EventKind.CLAIMED)
    claimed = dict(claims.values_list("submission_id").annotate(at=Max("created")))
    samples: defaultdict[Kind, list[float]] = defaultdict(list)
    for submission_id, language, mode, gpu_model, finished in rows:
        if submission_id not in claimed:
            continue  # judged before there were events, or without a worker
        took_s = (finished - claimed[submission_id]).total_seconds()
        for model in {gpu_model, ""}:
            samples[language, mode, model].append(max(0.0, took_s))
    return {kind: median(found) for kind, found in samples.items() if len(found) >= MIN_SAMPLES}
