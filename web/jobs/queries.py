"""Counts and lists jobs of all kinds, each in one query.

To take part, a kind is a model of jobs; its `listed` names the columns to read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from django.db import connection
from django.db.models import CharField, Count, F, Min, QuerySet, Value
from django.db.models.functions import Cast, Coalesce

from web.jobs.models import OPEN, PERSONAL, JobKind, JobState, LeasedJob, job_models
from web.setting import ROOT

_Rows: TypeAlias = "QuerySet[Any, Any]"  # rows of any of these tables, in columns of the same names
MOST_TASKS = 50
UNFINISHED_JOBS = ROOT / "deploy" / "helm" / "warpcourt" / "files" / "unfinished_jobs.sql"
_QUEUES = "QUEUES"  # placeholder for the list of queues in that file
# The kinds that workers take only when no submission waits, in the order of claims.
BACKGROUND = tuple(kind for kind in JobKind if kind is not JobKind.SUBMISSION)


@dataclass(frozen=True, slots=True)
class KindNow:
    """The number of unfinished jobs of a kind. `oldest` is when the longest waiting one was queued."""

    kind: JobKind
    waiting: int = 0
    running: int = 0
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A job that waits or that `worker` runs. `key` identifies its page; a submission's is its public id.

    `subject` is the problem, or the format of an import. `person` requested the job; it is empty if the
    account is deleted. `until` is when its lease ends.
    """

    kind: JobKind
    key: str
    subject: str
    person: str
    worker: str
    running: bool
    since: datetime
    until: datetime | None


def kinds_now() -> list[KindNow]:
    """Return all kinds except submissions, including those without jobs. One query."""
    grouped = (
        _open(model).values("the_kind", "state").annotate(count=Count("pk"), first=Min("queued"))
        for model in _background()
    )
    found: dict[JobKind, KindNow] = {kind: KindNow(kind) for kind in BACKGROUND}
    for name, state, count, first in _union(grouped, ("the_kind", "state", "count", "first")):
        now = found[JobKind(name)]
        if state == JobState.LEASED:
            found[now.kind] = KindNow(now.kind, now.waiting, count, now.oldest)
        else:
            found[now.kind] = KindNow(now.kind, count, now.running, first)
    return list(found.values())


def tasks_in_background() -> list[Task]:
    """Return the first MOST_TASKS unfinished jobs except submissions, in the order of claims. One query."""
    shown = (
        _open(model) if model.listed.while_waiting else _open(model).filter(state=JobState.LEASED)
        for model in _background()
    )
    return _tasks(shown)[:MOST_TASKS]


def tasks_held() -> list[Task]:
    """Return all jobs that the site's workers run now, including submissions. One query."""
    running = (_open(model).filter(state=JobState.LEASED) for model in job_models())
    return _tasks(jobs.exclude(queue__startswith=PERSONAL) for jobs in running)


def unfinished(queues: Sequence[str]) -> int:
    """Return the number of jobs of all kinds in `queues` that wait or run. One query.

    Every autoscaler asks this: KEDA, which can only run SQL, by the chart of Helm, and `slurmscale`.
    """
    text = UNFINISHED_JOBS.read_text(encoding="utf-8")
    with connection.cursor() as cursor:
        parameters = [*queues] * text.count(_QUEUES)
        cursor.execute(text.replace(_QUEUES, ", ".join(["%s"] * len(queues))), parameters)
        (found,) = cursor.fetchone()
    return int(found)


def submissions_waiting() -> dict[str, int]:
    """Return the number of submissions per queue that wait for the site's workers. One query."""
    (model,) = (model for model in job_models() if model.listed.kind == JobKind.SUBMISSION)
    queued: _Rows = model._default_manager.filter(state=JobState.QUEUED)  # noqa: SLF001 - Django's public name
    queued = queued.exclude(queue__startswith=PERSONAL)
    return dict(queued.order_by().values_list("queue").annotate(count=Count("pk")))


def host_of(worker: str) -> str:
    """Return the host of a process, by its name in jobs and in the fleet: `node-1` of `node-1:4711`."""
    host, separator, _ = worker.rpartition(":")
    return host if separator else worker


def long_waiting(kinds: Iterable[KindNow], now: datetime, limit: timedelta) -> list[KindNow]:
    """Return the kinds with a job that has waited for longer than `limit`, without hidden runs."""
    asked = (entry for entry in kinds if entry.kind is not JobKind.REJUDGE)
    return [entry for entry in asked if entry.oldest is not None and entry.oldest < now - limit]


_COLUMNS = (
    *("the_kind", "the_key", "the_subject", "the_person"),
    *("worker", "state", "queued", "lease_until"),
)


def _background() -> list[type[LeasedJob]]:
    return [model for model in job_models() if model.listed.kind != JobKind.SUBMISSION]


def _open(model: type[LeasedJob]) -> _Rows:
    """Return the unfinished jobs of a kind, in columns of the same names and types."""
    listed = model.listed
    kind = listed.kind
    rows: _Rows = model._default_manager.filter(state__in=OPEN).order_by()  # noqa: SLF001 - Django's public name
    found: _Rows = rows.annotate(
        the_kind=Value(kind.value, output_field=CharField()) if isinstance(kind, JobKind) else _text(kind),
        the_key=_text(listed.key),
        the_subject=_text(listed.subject),
        the_person=_text(listed.person),
    )
    return found


def _tasks(each: Iterable[_Rows]) -> list[Task]:
    tasks = [
        Task(JobKind(kind), key, subject, person, worker, state == JobState.LEASED, queued, until)
        for kind, key, subject, person, worker, state, queued, until in _union(each, _COLUMNS)
    ]
    return sorted(tasks, key=lambda task: (not task.running, list(JobKind).index(task.kind), task.since))


def _union(each: Iterable[_Rows], columns: tuple[str, ...]) -> _Rows:
    first, *others = (rows.values_list(*columns) for rows in each)
    return first.union(*others, all=True)


def _text(column: str) -> Coalesce:
    """Return a column as text, so that tables can be combined."""
    return Coalesce(Cast(F(column), CharField()), Value(""), output_field=CharField())
