"""The contents of the pages about jobs and workers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django.utils.http import urlencode

from web.audit.models import AuditEntry
from web.fleet import pages as fleet_pages
from web.fleet import queries as fleet_queries
from web.fleet.pages import NodeCard, ago
from web.jobs.models import JobState
from web.jobs.queries import KindNow, Task, kinds_now, long_waiting, tasks_held, tasks_in_background
from web.rejudges import pages as rejudge_pages
from web.rejudges.badges import Badge
from web.rejudges.pages import RejudgeRow
from web.site import cursors
from web.site.paging import first_rows
from web.staff import queries
from web.staff.badges import KIND_WORDS, STUCK_WORDS, StuckWords
from web.staff.queries import Place, QueueLoad, Stuck, WorkerNow
from web.submissions.models import Job, Priority
from web.submissions.queue_position import ordinal


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem that staff should check, with the address to check it at."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class StaffOverview:
    """The current state of the site."""

    load: QueueLoad
    oldest: str
    nodes: list[NodeCard]
    flags: int
    rejudges: list[RejudgeRow]
    audit_entries: list[AuditEntry]
    troubles: list[Trouble]
    waiting_aside: int
    running_aside: int


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job in words. `lease` says when its worker's lease ends or ended."""

    job: Job
    state: Badge
    age: str
    lease: str
    why: str


@dataclass(frozen=True, slots=True)
class Rows:
    """A page of rows. `following` is the address of the next page, empty on the last."""

    rows: list[JobRow]
    following: str


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of background job, in words."""

    now: KindNow
    label: str
    oldest: str


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A background job in words. `age` is the time since its request."""

    task: Task
    label: str
    age: str


@dataclass(frozen=True, slots=True)
class Aside:
    """The background jobs of workers."""

    kinds: list[KindRow]
    tasks: list[TaskRow]


@dataclass(frozen=True, slots=True)
class StuckPage:
    """The jobs that are stuck in one way."""

    kind: Stuck
    kinds: list[tuple[Stuck, str, int | None]]
    words: StuckWords
    jobs: Rows


@dataclass(frozen=True, slots=True)
class StaffWorkerRow:
    """A worker in words. `tasks` are the jobs that it runs now."""

    worker: WorkerNow
    heard: str
    tasks: list[TaskRow]


def overview(flags: int) -> StaffOverview:
    """Return the contents of the first staff page."""
    fleet = fleet_queries.fleet()
    nodes = [fleet_pages.card(now) for now in fleet]
    load = queries.load({gpu.model for now in fleet for gpu in now.offered})
    kinds = kinds_now()
    return StaffOverview(
        load=load,
        oldest=ago(timezone.now() - load.oldest) if load.oldest else "",
        nodes=nodes,
        flags=flags,
        rejudges=rejudge_pages.open_rejudges(),
        audit_entries=list(queries.list_audit_entries()[:8]),
        troubles=[*_troubles(load, nodes), *_late(kinds)],
        waiting_aside=sum(entry.waiting for entry in kinds),
        running_aside=sum(entry.running for entry in kinds),
    )


def queue(chosen: Mapping[str, str], after: str) -> Rows:
    """Return a page of the queue."""
    state = JobState(chosen["status"]) if chosen.get("status") else None
    found = queries.list_jobs(
        state=state,
        queue=chosen.get("queue", ""),
        problem=chosen.get("problem", ""),
        person=chosen.get("person", ""),
        after=_decode_place(after),
    )
    jobs, more = first_rows(found)
    given = {name: value for name, value in chosen.items() if value}
    following = f"?{urlencode({**given, 'after': _encode_place(jobs[-1])})}" if more else ""
    return Rows([_job_row(job) for job in jobs], following)


def aside() -> Aside:
    """Return the background jobs that run and wait."""
    now = timezone.now()
    rows = [
        KindRow(entry, KIND_WORDS[entry.kind].many, ago(now - entry.oldest) if entry.oldest else "")
        for entry in kinds_now()
    ]
    return Aside(rows, task_rows(tasks_in_background()))


def task_rows(tasks: Iterable[Task]) -> list[TaskRow]:
    """Return the tasks in words."""
    now = timezone.now()
    return [TaskRow(task, KIND_WORDS[task.kind].one, ago(now - task.since)) for task in tasks]


def stuck(kind: Stuck, before: str) -> StuckPage:
    """Return a page of the jobs that are stuck in one way."""
    load = queries.load(fleet_queries.offered_gpu_models())
    counts = {Stuck.EXPIRED: load.expired, Stuck.WAITING: load.waiting, Stuck.NO_GPU: load.no_gpu}
    jobs, more = first_rows(queries.list_stuck(kind, before=cursors.decode_key(before)))
    following = f"?{urlencode({'kind': kind.value, 'before': jobs[-1].pk})}" if more else ""
    return StuckPage(
        kind=kind,
        kinds=[(known, STUCK_WORDS[known].label, counts.get(known)) for known in Stuck],
        words=STUCK_WORDS[kind],
        jobs=Rows([_job_row(job) for job in jobs], following),
    )


def workers() -> list[StaffWorkerRow]:
    """Return the known workers."""
    now = timezone.now()
    held = tasks_held()
    return [
        StaffWorkerRow(worker, ago(now - worker.heard), task_rows(t for t in held if t.worker == worker.name))
        for worker in queries.list_workers(now, held)
    ]


def audit_entries(chosen: Mapping[str, str], before: str) -> tuple[list[AuditEntry], str]:
    """Return a page of the audit log, and the address of the next one."""
    found, more = first_rows(queries.list_audit_entries(**chosen, before=cursors.decode_key(before)))
    given = {name: value for name, value in chosen.items() if value}
    return found, f"?{urlencode({**given, 'before': str(found[-1].pk)})}" if more else ""


def _troubles(load: QueueLoad, nodes: list[NodeCard]) -> list[Trouble]:
    stuck_page = "/staff/stuck?kind="
    known = [
        (load.expired, "with a lost worker", Stuck.EXPIRED),
        (load.waiting, "waiting for more than ten minutes", Stuck.WAITING),
        (load.no_gpu, "waiting for a GPU that no node offers", Stuck.NO_GPU),
    ]
    found = [Trouble(f"{_count(count)} {what}.", stuck_page + kind) for count, what, kind in known if count]
    if load.waiting and not load.leased:
        found.insert(0, Trouble("Submissions are waiting, but no worker is judging.", "/staff/workers"))
    for card in nodes:
        ill = sum(row.badge.tone != "good" for row in card.rows)
        if card.badge.tone != "good":
            found.append(Trouble(f"{card.now.node.name}: {card.badge.word.lower()}.", "/fleet"))
        elif ill:
            found.append(
                Trouble(f"{card.now.node.name}: {ill} of {len(card.rows)} GPUs not in use.", "/fleet")
            )
    return found


def _late(kinds: list[KindNow]) -> list[Trouble]:
    now = timezone.now()
    return [
        Trouble(
            f"{KIND_WORDS[entry.kind].many} are waiting, the oldest since {ago(now - entry.oldest)}.",
            "/staff/queue#aside",
        )
        for entry in long_waiting(kinds, now, queries.LONG_WAIT)
        if entry.oldest
    ]


def _count(count: int) -> str:
    return "1 submission" if count == 1 else f"{count} submissions"


def _job_row(job: Job) -> JobRow:
    now = timezone.now()
    expired = job.lease_until is not None and job.lease_until < now
    badge = {
        JobState.QUEUED: Badge("Waiting", "void", "unsolved"),
        JobState.LEASED: Badge("Worker lost", "bad", "warning")
        if expired
        else Badge("Judging", "live", "pending"),
        JobState.DONE: Badge("Given up", "bad", "internal_error"),
    }[JobState(job.state)]
    lease = ""
    if job.lease_until is not None:
        lease = (
            f"expired {ago(now - job.lease_until)}"
            if expired
            else f"{_seconds(job.lease_until - now)} s left"
        )
    return JobRow(job, badge, ago(now - job.queued), lease, _why(job))


def _why(job: Job) -> str:
    """Return the position in the order of claims in words: `contest`, `run, 2nd turn`."""
    known = job.priority in Priority.values
    urgency = Priority(job.priority).name.lower() if known else str(job.priority)
    return f"{urgency}, {ordinal(job.fair_share_rank + 1)} turn" if job.fair_share_rank else urgency


def _encode_place(job: Job) -> str:
    return f"{job.priority}.{job.fair_share_rank}.{cursors.encode(job.queued, job.pk)}"


def _decode_place(text: str) -> Place | None:
    priority, _, rest = text.partition(".")
    rank, _, rest = rest.partition(".")
    place = cursors.decode(rest)
    numbers = (priority.removeprefix("-"), rank)
    known = place and all(n.isascii() and n.isdecimal() and len(n) < len("32768") for n in numbers)
    return (int(priority), int(rank), *place) if place and known else None


def _seconds(left: timedelta) -> int:
    return round(left.total_seconds())
