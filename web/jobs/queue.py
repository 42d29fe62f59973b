"""The job queue: claim, lease, fence, hand back, sweep and wake, once for every kind of job.

Theory of operation.

The row is the only truth about who works on a job. A claim is one conditional UPDATE that raises `attempt`;
from then on every write of that worker says `WHERE attempt = …`, so a worker that lost its lease (paused, cut
off, presumed dead) changes nothing when it comes back, and what it sends twice is written once. A claim is
the row as it was read then: a job in memory is never refreshed, since its attempt and state are the fence.
Leases are written and compared on the database's clock, so those of the hosts may be wrong.

Jobs are taken in `ORDER`. Each queue's next job is the head of an index, so one query finds the heads of all
queues that the worker serves and takes the first of them, in the same time whether ten wait or a hundred
thousand. Jobs that lost workers hold are at most as many as there are workers: those are looked through.

The row is the outbox too. A message that has to reach a broker once its transaction is committed is usually
written into a table of its own, and sent from there by a relay that marks it as sent. Here the message says
nothing but "look into the table", so a row that is still queued says all that an outbox's row would, and the
claim that takes it is the mark. The relay is the sweep: it wakes workers for what is queued for longer than
a message takes to arrive, whether the web process died between commit and message, the broker was away, or
the worker that got it died before it claimed. Messages are counted before they are sent: as many as the
broker still holds are left out, so that they do not pile up while all workers are busy. Nothing expires,
since that would compare the clocks of two hosts.

Any number of workers may sweep at a time, and any may die in the middle. Each job is moved by one
transaction whose conditional UPDATE comes first and names the attempt; of two sweeps the second finds
nothing to do, and of one that was killed the next does the rest.

A kind of job is a subclass with what ending means for it: `fail`, and a `record` of its own.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
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

from web.clock import DatabaseNow
from web.jobs import wakeup
from web.jobs.fair_share import move_up_on_commit, under_way
from web.jobs.models import CPU, OPEN, ORDER, JobState, LeasedJob

J = TypeVar("J", bound=LeasedJob)
Moment = datetime | DatabaseNow
SWEPT_AT_ONCE = 500


class LeaseLost(Exception):
    """Raised when a worker writes under a claim that is no longer its own."""


class Hold(Enum):
    """What a worker learns when it extends its lease."""

    HELD = auto()
    CANCELLED = auto()
    LOST = auto()


class Failure(Enum):
    """Why a job ends without a result. None of it is its owner's fault."""

    TRIES_USED = auto()
    WORKER_HUNG = auto()


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep did, as counts of jobs; `woken` counts messages to workers."""

    requeued: int
    concluded: int
    woken: int


class JobQueue(ABC, Generic[J]):
    """The jobs of one kind."""

    model: type[J]
    # What comes first. A kind of which few wait may have an order that no index has.
    order: ClassVar[Sequence[str | OrderBy]] = ORDER
    # What a claim resets in the row.
    fresh: ClassVar[Mapping[str, Any]] = {}
    # The column of the user among whose jobs it is ranked; empty where none takes a share.
    owner: ClassVar[str] = ""
    # What is true of a leased job that its owner wants to end; no worker tries it again.
    cancelling: ClassVar[Q | None] = None

    # What a kind decides

    @abstractmethod
    def fail(self, job: J, failure: Failure) -> bool:
        """End `job` without a result, under its fence. In the caller's transaction."""

    def claimed(self, job: J) -> None:
        """A worker has just taken `job`. In the same transaction."""

    def requeued(self, job: J, why: str) -> None:
        """`job` has just been queued once more. In the same transaction."""

    def served_by(self, gpu_models: Collection[str]) -> tuple[str, ...]:  # noqa: ARG002 - see the subclasses
        """The queues that a worker with these GPUs takes from."""
        return (CPU,)

    def rows(self) -> QuerySet[J]:
        """The rows with what a worker needs of them."""
        return self._all()

    # What users do

    def add(self, job: J) -> None:
        """Queue a new job, and wake a worker once the caller's transaction is committed."""
        job.fair_share_rank = under_way(self._owned(job)).count()
        job.save()
        self.wake(job.queue)

    def cancel(self, job: J, **columns: Any) -> bool:
        """End `job` at once, also under its worker, which learns of it. False when it was over already."""
        ended = self._all().filter(pk=job.pk, state__in=OPEN)
        if not ended.update(state=JobState.CANCELLED, lease_until=None, **columns):
            return False
        self._move_up(job)
        return True

    # What workers do

    def claim(self, worker: str, *, gpu_models: Collection[str] = ()) -> J | None:
        """Take the next job of the queues that a worker with these GPUs serves; None when there is none.

        Safe to call from any number of workers at a time: the UPDATE names the attempt that was read, so of
        two that read the same row one finds it changed and looks for another.
        """
        queues = self.served_by(gpu_models)
        while (found := self.next_job(queues)) is not None:
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
        """Extend the lease by its full length, and learn whether to go on."""
        mine = self.mine(job)
        if mine.update(lease_until=_lease_end()):
            ends = self.cancelling is not None and mine.filter(self.cancelling).exists()
            return Hold.CANCELLED if ends else Hold.HELD
        cancelled = self._all().filter(pk=job.pk, attempt=job.attempt, state=JobState.CANCELLED)
        return Hold.CANCELLED if cancelled.exists() else Hold.LOST

    @transaction.atomic
    def hand_back(self, job: J, *, failed: bool) -> bool:
        """Give `job` up, after a failure of ours or because this worker stops. False if it was lost before.

        A failure counts as a try, and its next try waits for a sweep, which gives a troubled host a moment;
        when none is left the job ends. Without failure another worker is woken at once.
        """
        if self._ends(job, failed=failed):
            return self.fail(job, Failure.TRIES_USED)
        returned = self.mine(job).update(
            state=JobState.QUEUED,
            lease_until=None,
            worker="",
            tries=F("tries") if failed else F("tries") - 1,
        )
        if returned:
            self.requeued(job, "Will be judged by another worker")
            if not failed:
                self.wake(job.queue)
        return returned > 0

    @transaction.atomic
    def abandon(self, pk: int, attempt: int) -> bool:
        """End a job on which its worker's process hung. It would hang the next one, so it is not tried again.

        Also when its lease has expired meanwhile and it waits. False if another worker has it, or it is over.
        """
        held = self._all().filter(pk=pk, attempt=attempt, state__in=OPEN)
        if not held.update(worker=F("worker")):  # takes the row's lock
            return False
        return self.fail(self.rows().get(pk=pk), Failure.WORKER_HUNG)

    def sweep(self, *, now: datetime | None = None) -> Swept:
        """Queue jobs again whose worker is gone, end those that cannot go on, and wake workers for the rest.

        For what was queued within the sweep interval a message is under way. `now` stands for the database's
        clock.
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
        settled = moment - timedelta(seconds=settings.WARPCOURT.sweep_s)
        woken = self.wake_waiting(requeued | self._waiting(queued__lt=settled))
        return Swept(requeued=requeued.total(), concluded=concluded, woken=woken)

    # What subclasses build on

    def mine(self, job: J) -> QuerySet[J]:
        """The row of `job` if nothing has happened to it since it was read. This is the fence."""
        return self._all().filter(pk=job.pk, attempt=job.attempt, state=job.state)

    def finish(self, job: J, **columns: Any) -> bool:
        """End `job`. False: it was lost. Takes the row's lock, so what follows is done once."""
        if not self.mine(job).update(state=JobState.DONE, lease_until=None, **columns):
            return False
        self._move_up(job)
        return True

    def tell(self, job: J, **columns: Any) -> None:
        """Write what is being done; without columns, take the row's lock, so that no worker claims it now.

        Raises:
            LeaseLost: the job is no longer this worker's.
        """
        if not self.mine(job).update(**(columns or {"worker": F("worker")})):
            raise LeaseLost(f"attempt {job.attempt} of {job} is over")

    def wake(self, queue: str = CPU) -> None:
        """Wake a worker that serves `queue`, once the caller's transaction is committed."""
        for heard in self._heard({queue: 1}):
            transaction.on_commit(partial(wakeup.wake, heard))

    def wake_waiting(self, waiting: Mapping[str, int] | None = None) -> int:
        """Wake workers for what waits, some at a time; returns how many messages were sent."""
        return wakeup.wake_for(self._heard(self._waiting() if waiting is None else waiting))

    def in_line(self, queue: str) -> QuerySet[J]:
        """What waits in `queue`, in the order of claims, which an index has."""
        return self._all().filter(state=JobState.QUEUED, queue=queue).order_by(*self.order)

    def next_job(self, queues: Collection[str]) -> tuple[int, int] | None:
        """Key and attempt of the job that a worker of `queues` takes next. It may be gone by now."""
        heads = [*(_first(self.in_line(queue)) for queue in queues), _first(self._expired(queues))]
        candidates = self._all().filter(reduce(or_, (Q(pk=head) for head in heads)))
        return candidates.order_by(*self.order).values_list("pk", "attempt").first()

    def hears(self, queue: str) -> str:
        """The queue at the broker of which workers are woken for jobs of `queue`."""
        return queue

    # The rest

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
        """What became of a job whose lease has expired; None where its worker or another was quicker."""
        expired = self.mine(job).filter(lease_until__lt=moment)
        if not expired.update(worker=""):  # takes the row's lock
            return None
        if self._ends(job, failed=True):
            return JobState.DONE if self.fail(job, Failure.TRIES_USED) else None
        self.mine(job).update(state=JobState.QUEUED, lease_until=None)
        self.requeued(job, "Its worker was lost; will be judged by another")
        return JobState.QUEUED

    def _waiting(self, **condition: Any) -> Counter[str]:
        """How many wait in each queue; no more than workers are woken for."""
        return Counter(
            {
                queue: self.in_line(queue).filter(**condition)[: wakeup.MOST_MESSAGES].count()
                for queue in self._queues()
            }
        )

    def _queues(self) -> Iterator[str]:
        """The queues in which something waits. One look into an index for each, however many jobs wait."""
        queued = self._all().filter(state=JobState.QUEUED).order_by("queue").values_list("queue", flat=True)
        queue = queued.first()
        while queue is not None:
            yield queue
            queue = queued.filter(queue__gt=queue).first()

    def _heard(self, jobs: Mapping[str, int]) -> Counter[str]:
        heard: Counter[str] = Counter()
        for queue, count in jobs.items():
            heard[self.hears(queue)] += count
        return heard


def _lease_end() -> CombinedExpression:
    return DatabaseNow() + timedelta(seconds=settings.WARPCOURT.lease_s)


def _first(jobs: QuerySet[Any]) -> Subquery:
    return Subquery(jobs.values("pk")[:1])
