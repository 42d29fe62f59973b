"""The workers that serve a queue and the other queues that they serve, for users and staff."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import BooleanField, ExpressionWrapper, Q

from web.fleet.models import Duty, Worker
from web.fleet.queries import LOST_AFTER
from web.jobs.models import CPU
from web.site.clock import DatabaseNow
from web.submissions.queues import GPU


@dataclass(frozen=True, slots=True)
class WorkerPool:
    """The workers that serve a queue.

    `queues` are all queues that some of them serve, including this one. `slots` is how many jobs they judge
    at a time, if known, and `judging` how many jobs of their queues run now. `away`: none of them has
    reported lately. `reported`: workers have reported before, so `away` is certain.
    """

    queues: frozenset[str]
    slots: int
    judging: int
    away: bool
    reported: bool = False


def of_queues(queues: Collection[str], *, judging: Mapping[str, int]) -> dict[str, WorkerPool]:
    """Return the worker pool of each of `queues`, in one query. `judging` counts running jobs by queue."""
    heard = DatabaseNow() - LOST_AFTER
    serves = Q(state=Duty.SERVING, node__drained=False, heartbeat__gte=heard)
    known = Worker.objects.annotate(serves=ExpressionWrapper(serves, output_field=BooleanField()))
    rows = list(known.values_list("queues", "concurrency", "serves").order_by())
    workers = [(frozenset(served), slots) for served, slots, serving in rows if serving]
    return {queue: _worker_pool(queue, workers, judging, reported=bool(rows)) for queue in queues}


def _worker_pool(
    queue: str, workers: list[tuple[frozenset[str], int]], judging: Mapping[str, int], *, reported: bool
) -> WorkerPool:
    mine = [(served, slots) for served, slots in workers if queue in served]
    together = frozenset[str]().union(*(served for served, _ in mine)) or _least(queue)
    running = sum(judging.get(served, 0) for served in together)
    slots = sum(slots for _, slots in mine) or running
    # If workers are known and none of them serves this queue, running jobs of other queues do not show that
    # its workers live.
    away = not mine if workers else not running
    return WorkerPool(together, slots, running, away, reported)


def _least(queue: str) -> frozenset[str]:
    """Return the queues that every worker of `queue` serves."""
    return frozenset({queue, CPU}) if queue in {CPU, GPU} else frozenset({queue, GPU, CPU})
