"""The job queue: claims, leases, fencing, returns, sweeps and wake-up messages, for every kind of job.

Theory of operation.

Only the row decides which worker has a job. A claim is one conditional UPDATE that raises `attempt`. From
then on, every write of that worker has the condition `WHERE attempt = …`. If a worker lost its lease (because
it was paused, cut off or presumed dead), its later writes change nothing. A repeated write is stored once. A
claim is the row as it was read then. Do not refresh a job in memory: its attempt and state are the fence.
Leases are written and compared on the database's clock, so the clocks of the hosts may be wrong.

Workers take jobs in `ORDER`. Each queue's next job is the head of an index. One query finds the heads of all
queues that the worker serves and takes the first of them. It takes the same time with ten waiting jobs and
with a hundred thousand. Lost workers hold at most as many jobs as there are workers, so a scan finds those.

The row is also the outbox. Usually a message that must reach a broker after a commit is written into a table
of its own, and a relay sends it and marks it as sent. Here, the message only means "check the table". A row
that is still queued contains all the information of an outbox row, and the claim marks it as sent. The relay
is the sweep. It wakes workers for jobs that have been queued for longer than a message takes to arrive. This
covers a web process that died between commit and message, a broker that was down, and a worker that died
before it claimed the job. The sweep first subtracts the messages that the broker still holds, so that they do
not pile up while all workers are busy. Messages do not expire, because that would compare the clocks of two
hosts.

Any number of workers may sweep at a time, and any may die in the middle. One transaction moves each job; its
conditional UPDATE comes first and names the attempt. If two sweeps meet, the second finds nothing to do. If a
sweep is killed, the next one does the rest.

A host may lack something that a job needs, such as a folder. It returns the job and is excluded: its workers
skip the job in later claims. If all hosts of its queue have returned a job, the sweep ends it. Such a job is
near the head of its queue, since it has been claimed before. So the sweep reads only the first few jobs of
each queue.

A kind of job is a subclass that defines what happens at the end: `fail`, and its own `record`.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from functools import partial, reduce
from operator import or_
from typing import Any, ClassVar, Generic, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet, Subquery
from django.db.models.expressions import CombinedExpression, OrderBy

from web.jobs import wakeup
from web.jobs.fair_share import move_up_on_commit, open_jobs
from web.jobs.models import CPU, OPEN, ORDER, JobState, LeasedJob
from web.jobs.queries import host_of
from web.site.clock import DatabaseNow

J = TypeVar("J", bound=LeasedJob)
Moment = datetime | DatabaseNow
HostsOf = Callable[[str], Collection[str]]  # the hosts that take jobs of a queue
SWEPT_AT_ONCE = 500
HEAD_OF_QUEUE = 16


class LeaseLost(Exception):
    """Raised when a worker writes under a claim that it has lost."""


class Hold(Enum):
    """The answer to a worker that extends its lease."""

    HELD = auto()
    CANCELLED = auto()
    LOST = auto()


class Failure(Enum):
    """The reason why a job ends without a result. The owner never causes it."""

    TRIES_USED = auto()
    WORKER_HUNG = auto()
    NO_HOST = auto()


@dataclass(frozen=True, slots=True)
class Swept:
    """The result of one sweep, as counts of jobs; `woken` counts messages to workers."""

    requeued: int
    concluded: int
    woken: int


class JobQueue(ABC, Generic[J]):
    """The jobs of one kind."""

    model: type[J]
    # The order of claims. A kind with few waiting jobs may have an order without an index.
    order: ClassVar[Sequence[str | OrderBy]] = ORDER
    # The columns that a claim resets
    fresh: ClassVar[Mapping[str, Any]] = {}
    # The column of the user whose fair share it takes; empty if it takes none.
    owner: ClassVar[str] = ""
    # The condition of a leased job that its owner wants to end; no worker tries it again.
    cancelling: ClassVar[Q | None] = None

    # Each kind of job defines these methods

    @abstractmethod
    def fail(self, job: J, failure: Failure) -> bool:
        """End `job` without a result, under its fence. Runs in the caller's transaction."""

    def claimed(self, job: J) -> None:
        """Called in the same transaction after a worker has taken `job`."""

    def requeued(self, job: J, why: str) -> None:
        """Called in the same transaction after `job` has returned to the queue."""

    def served_by(self, gpu_models: Collection[str]) -> tuple[str, ...]:  # noqa: ARG002 - see the subclasses
        """Return the queues that a worker with these GPUs takes from."""
        return (CPU,)

    def rows(self) -> QuerySet[J]:
        """Return the rows with the related rows that a worker needs."""
        return self._all()

    # Called by the site

    def add(self, job: J) -> None:
        """Queue a new job, and wake a worker once the caller's transaction is committed."""
        job.fair_share_rank = open_jobs(self._owned(job)).count()
        job.save()
        self.wake(job.queue)

    def cancel(self, job: J, **columns: Any) -> bool:
        """End `job` at once, even while a worker runs it. Return False if it was over.

        The worker learns of it from its next heartbeat.
        """
        ended = self._all().filter(pk=job.pk, state__in=OPEN)
        if not ended.update(state=JobState.CANCELLED, lease_until=None, **columns):
            return False
        self._move_up(job)
        return True

    # Called by workers

    def claim(self, worker: str, *, gpu_models: Collection[str] = ()) -> J | None:
        """Take the next job of the queues that a worker with these GPUs serves, or return None."""
        return self.claim_from(self.served_by(gpu_models), worker)

    def claim_from(self, queues: Collection[str], worker: str) -> J | None:
        """Take the next job of `queues`. Return None if there is none.

        Any number of workers may call this at a time: the UPDATE names the attempt that was read. If two
        workers read the same row, one finds it changed and searches for another.
        """
        while (found := self.next_job(queues, host_of(worker))) is not None:
            pk, attempt = found
            with transaction.atomic():
                taken = self._all().filter(self._claimable(), pk=pk, attempt=attempt)
                if not taken.update(
                    state=JobState.LEASED,
                    attempt=F("attempt") + 1,
                    tries=F("tries") + 1,
                    lease_until=_lease_end(),
                    worker=worker,
                    **self.fresh,
                ):
                    continue  # another worker got there first
                job = self.rows().get(pk=pk)
                self.claimed(job)
            return job
        return None

    def extend_lease(self, job: J) -> Hold:
        """Extend the lease by its full length, and return whether to continue. Usually one statement."""
        mine = self.mine(job)
        continuing = mine if self.cancelling is None else mine.exclude(self.cancelling)
        if continuing.update(lease_until=_lease_end()):
            return Hold.HELD
        if self.cancelling is not None and mine.update(lease_until=_lease_end()):
            return Hold.CANCELLED
        cancelled = self._all().filter(pk=job.pk, attempt=job.attempt, state=JobState.CANCELLED)
        return Hold.CANCELLED if cancelled.exists() else Hold.LOST

    @transaction.atomic
    def return_to_queue(self, job: J, *, failed: bool, missing: str = "") -> bool:
        """Return `job` to the queue after a failure of the judge, or because this worker cannot run it.

        Return False if the lease was lost before. A failure counts as a try, and the next try waits for a
        sweep, which gives a host with problems a moment. When no tries are left the job ends. Without a
        failure, another worker is woken at once. `missing` names what the job needs and this host does not
        have: then no worker of this host claims the job again.
        """
        if self._ends(job, failed=failed):
            return self.fail(job, Failure.TRIES_USED)
        returned = self.mine(job).update(
            state=JobState.QUEUED,
            lease_until=None,
            worker="",
            tries=F("tries") if failed else F("tries") - 1,
            excluded_hosts=job.excluded_hosts | ({host_of(job.worker): missing} if missing else {}),
        )
        if returned:
            self.requeued(job, "Waiting for another worker")
            if not failed:
                self.wake(job.queue)
        return returned > 0

    @transaction.atomic
    def abandon(self, pk: int, attempt: int) -> bool:
        """End a job on which its worker's process hung.

        It is not tried again, because it would hang the next process. This also works if its lease has
        expired in the meantime and the job waits. Return False if another worker has it, or it is over.
        """
        held = self._all().filter(pk=pk, attempt=attempt, state__in=OPEN)
        if not held.update(worker=F("worker")):  # takes the row's lock
            return False
        return self.fail(self.rows().get(pk=pk), Failure.WORKER_HUNG)

    def sweep(self, *, now: datetime | None = None, hosts: HostsOf | None = None) -> Swept:
        """Queue jobs of lost workers again, end jobs that cannot continue, and wake workers for the rest.

        Jobs that were queued within the sweep interval are skipped, because a message is still in transit.
        `now` replaces the database's clock. Without `hosts`, jobs that no host can run keep waiting.
        """
        moment: Moment = now or DatabaseNow()
        concluded = 0
        requeued: Counter[str] = Counter()
        expired = self._all().filter(state=JobState.LEASED, lease_until__lt=moment)
        for job in expired.only("state", "attempt", "tries", "queue")[:SWEPT_AT_ONCE]:
            match self._take_back(job, moment):
                case JobState.QUEUED:
                    requeued[job.queue] += 1
                case JobState.DONE:
                    concluded += 1
        queues = [*self._queues()]
        concluded += self._end_impossible(queues, hosts) if hosts else 0
        settled = moment - timedelta(seconds=settings.WARPCOURT.sweep_s)
        woken = self.wake_waiting(requeued | self._waiting(queues, queued__lt=settled))
        return Swept(requeued=requeued.total(), concluded=concluded, woken=woken)

    # For subclasses

    def mine(self, job: J) -> QuerySet[J]:
        """Return the row of `job` if it has not changed since it was read. This is the fence."""
        return self._all().filter(pk=job.pk, attempt=job.attempt, state=job.state)

    def finish(self, job: J, **columns: Any) -> bool:
        """End `job`. Return False if the lease was lost. Takes the row's lock, so it happens once."""
        if not self.mine(job).update(state=JobState.DONE, lease_until=None, **columns):
            return False
        self._move_up(job)
        return True

    def tell(self, job: J, **columns: Any) -> None:
        """Write progress. Without columns, only take the row's lock, so that no worker claims it now.

        Raises:
            LeaseLost: the job is no longer this worker's.
        """
        if not self.mine(job).update(**(columns or {"worker": F("worker")})):
            raise LeaseLost(f"attempt {job.attempt} of {job} is over")

    def wake(self, queue: str = CPU) -> None:
        """Wake a worker that serves `queue`, once the caller's transaction is committed."""
        for target in self._by_wakeup_queue({queue: 1}):
            transaction.on_commit(partial(wakeup.wake, target))

    def wake_waiting(self, waiting: Mapping[str, int] | None = None) -> int:
        """Wake workers for waiting jobs, a few at a time. Return the number of messages sent."""
        return wakeup.wake_for(
            self._by_wakeup_queue(self._waiting(self._queues()) if waiting is None else waiting)
        )

    def in_line(self, queue: str) -> QuerySet[J]:
        """Return the waiting jobs in `queue` in the order of claims, which an index has."""
        return self._all().filter(state=JobState.QUEUED, queue=queue).order_by(*self.order)

    def next_job(self, queues: Collection[str], host: str) -> tuple[int, int] | None:
        """Return key and attempt of the job that a worker of `queues` on `host` takes next.

        It may be gone by now.
        """
        mine = ~Q(excluded_hosts__has_key=host)
        waiting = (self.in_line(queue).filter(mine) for queue in queues)
        heads = [*map(_first, waiting), _first(self._expired(queues).filter(mine))]
        candidates = self._all().filter(reduce(or_, (Q(pk=head) for head in heads)))
        return candidates.order_by(*self.order).values_list("pk", "attempt").first()

    def wakeup_queue(self, queue: str) -> str:
        """Return the broker's queue whose workers are woken for jobs of `queue`."""
        return queue

    # Internal

    def _all(self) -> QuerySet[J]:
        return self.model._default_manager.order_by()  # noqa: SLF001 - Django's public name for it

    def _owned(self, job: J) -> QuerySet[J]:
        return self._all().filter(**{self.owner: getattr(job, f"{self.owner}_id")})

    def _move_up(self, job: J) -> None:
        if self.owner:
            move_up_on_commit(self._owned(job))

    def _may_be_tried_again(self) -> Q:
        left = Q(state=JobState.LEASED, lease_until__lt=DatabaseNow(), tries__lt=settings.WARPCOURT.max_tries)
        return left if self.cancelling is None else left & ~self.cancelling

    def _claimable(self) -> Q:
        return Q(state=JobState.QUEUED) | self._may_be_tried_again()

    def _expired(self, queues: Collection[str]) -> QuerySet[J]:
        return self._all().filter(self._may_be_tried_again(), queue__in=queues).order_by(*self.order)

    def _ends(self, job: J, *, failed: bool) -> bool:
        if failed and job.tries >= settings.WARPCOURT.max_tries:
            return True
        return self.cancelling is not None and self.mine(job).filter(self.cancelling).exists()

    @transaction.atomic
    def _take_back(self, job: J, moment: Moment) -> JobState | None:
        """Handle a job with an expired lease.

        Return the outcome; None if its worker or another process was faster.
        """
        expired = self.mine(job).filter(lease_until__lt=moment)
        if not expired.update(worker=""):  # takes the row's lock
            return None
        if self._ends(job, failed=True):
            return JobState.DONE if self.fail(job, Failure.TRIES_USED) else None
        self.mine(job).update(state=JobState.QUEUED, lease_until=None)
        self.requeued(job, "The worker was lost. Waiting for another worker")
        return JobState.QUEUED

    def _end_impossible(self, queues: Iterable[str], hosts: HostsOf) -> int:
        """End the jobs that all `hosts` of their queue have returned. Without any host, jobs wait for one."""
        ended = 0
        for queue in queues:
            head = self.in_line(queue).only("state", "attempt", "queue", "excluded_hosts")[:HEAD_OF_QUEUE]
            for job in [job for job in head if job.excluded_hosts]:
                known = {*hosts(self.wakeup_queue(queue))}
                if known and known <= job.excluded_hosts.keys():
                    with transaction.atomic():
                        ended += self.fail(job, Failure.NO_HOST)
        return ended

    def _waiting(self, queues: Iterable[str], **condition: Any) -> Counter[str]:
        """Return the number of waiting jobs per queue, up to the number of workers that are woken for one."""
        return Counter(
            {
                queue: self.in_line(queue).filter(**condition)[: wakeup.MOST_MESSAGES].count()
                for queue in queues
            }
        )

    def _queues(self) -> Iterator[str]:
        """Yield the queues with waiting jobs. This costs one index lookup per queue."""
        queued = self._all().filter(state=JobState.QUEUED).order_by("queue").values_list("queue", flat=True)
        queue = queued.first()
        while queue is not None:
            yield queue
            queue = queued.filter(queue__gt=queue).first()

    def _by_wakeup_queue(self, jobs: Mapping[str, int]) -> Counter[str]:
        counts: Counter[str] = Counter()
        for queue, count in jobs.items():
            counts[self.wakeup_queue(queue)] += count
        return counts


def _lease_end() -> CombinedExpression:
    return DatabaseNow() + timedelta(seconds=settings.WARPCOURT.lease_s)


def _first(jobs: QuerySet[Any]) -> Subquery:
    return Subquery(jobs.values("pk")[:1])
