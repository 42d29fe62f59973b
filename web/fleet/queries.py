"""Reads about the fleet: its state for staff, the GPUs that users may request, and claims of workers."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from django.core.cache import cache
from django.db.models import Count, QuerySet

from web.fleet.models import Duty, Gpu, Health, Node, NodeState, Worker
from web.jobs.queries import host_of
from web.site.clock import DatabaseNow

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

LOST_AFTER = timedelta(seconds=30)  # the time of several heartbeats
RESTARTED_WITHIN = timedelta(minutes=10)
SHOWN_S = 5


class _Asked(TypedDict):
    """The time of the query, by the database's clock."""

    asked: datetime


@dataclass(frozen=True, slots=True)
class WorkerAt:
    """A worker and its current state. `lost`: it stopped reporting without saying that it ends."""

    worker: Worker
    age: timedelta
    lost: bool

    @property
    def live(self) -> bool:
        """Return whether the worker runs."""
        return not self.lost and self.worker.state != Duty.STOPPED


@dataclass(frozen=True, slots=True)
class NodeNow:
    """A node and its current state. `lost`: it stopped reporting without saying that it ends.

    A node without a node service reports through its workers. `age` is then that of their latest report.
    """

    node: Node
    age: timedelta
    lost: bool
    gpus: tuple[Gpu, ...]
    workers: tuple[WorkerAt, ...] = ()

    @property
    def live_workers(self) -> tuple[Worker, ...]:
        """Return the workers that run."""
        return tuple(at.worker for at in self.workers if at.live)

    @property
    def busy(self) -> int:
        """Return the number of submissions that the node is judging."""
        return sum(worker.busy for worker in self.live_workers)

    @property
    def slots(self) -> int:
        """Return the number of submissions that the node can judge at a time."""
        return sum(worker.concurrency for worker in self.live_workers)

    @property
    def idle(self) -> bool:
        """Return whether every worker on the node knows about its drain and has finished its submissions."""
        live = self.live_workers
        return not any(worker.busy or worker.state == Duty.SERVING for worker in live)

    @property
    def unable(self) -> bool:
        """Return whether workers run on the node, but none of them can judge."""
        live = self.live_workers
        return bool(live) and all(worker.message for worker in live)

    @property
    def offered(self) -> tuple[Gpu, ...]:
        """Return the GPUs that users may request. `offered_gpu_models` does the same for all nodes."""
        if self.lost or self.node.drained or self.node.state != NodeState.SERVING:
            return ()
        return tuple(gpu for gpu in self.gpus if gpu.health == Health.WELL and not gpu.hold_reason)


def fleet(now: datetime | None = None) -> list[NodeNow]:
    """Return every node with its workers and GPUs, sorted by name."""
    return [_at(node, now or node.asked) for node in _nodes()]


def find_node(name: str, now: datetime | None = None) -> NodeNow | None:
    """Return the node with that name, or None if it is unknown."""
    node = _nodes().filter(name=name).first()
    return _at(node, now or node.asked) if node is not None else None


def offered_gpu_models(now: datetime | None = None, *, together: int = 1) -> tuple[str, ...]:
    """Return the GPU models that users may request.

    They are healthy, and on live nodes that are not drained. A node must have as many of a model as are used
    `together`.
    """
    heard = (now or DatabaseNow()) - LOST_AFTER
    found = Gpu.objects.filter(
        health=Health.WELL,
        hold_reason="",
        node__state=NodeState.SERVING,
        node__drained=False,
        node__heartbeat__gte=heard,
    )
    if together > 1:
        on_nodes = found.order_by().values("model", "node").annotate(count=Count("pk"))
        return tuple(sorted({row["model"] for row in on_nodes.filter(count__gte=together)}))
    return tuple(found.order_by("model").values_list("model", flat=True).distinct())


def shown_gpu_models(*, together: int = 1) -> tuple[str, ...]:
    """Return the models that users may request, at most SHOWN_S old. Use it for pages, not for decisions.

    See `offered_gpu_models` for `together`.
    """
    find = partial(offered_gpu_models, together=together)
    return tuple(cache.get_or_set(f"offered-gpu-models-{together}", find, SHOWN_S) or ())


def may_claim(node_name: str) -> bool:
    """Return whether a worker on this node may take submissions. A drained node may not.

    An unknown node may.
    """
    return not Node.objects.filter(name=node_name, drained=True).exists()


def hosts_of(queue: str, now: datetime | None = None) -> frozenset[str]:
    """Return the hosts whose workers take jobs of `queue`, by their names in jobs.

    A host counts for RESTARTED_WITHIN after its last report, because it may be restarting. Drained nodes do
    not count.
    """
    heard = (now or DatabaseNow()) - RESTARTED_WITHIN
    workers = Worker.objects.filter(heartbeat__gte=heard, node__drained=False)
    found = workers.values_list("name", "queues")
    return frozenset(host_of(name) for name, queues in found if queue in queues)


def capability_of(model: str) -> str:
    """Return the compute capability of GPUs of `model`, such as `9.0`, or an empty string."""
    return Gpu.objects.filter(model=model).values_list("capability", flat=True).first() or ""


def _nodes() -> "QuerySet[WithAnnotations[Node, _Asked]]":
    """Return nodes with their related rows, and with the current time of the database."""
    return Node.objects.annotate(asked=DatabaseNow()).prefetch_related("gpus", "workers")


def _at(node: Node, now: datetime) -> NodeNow:
    workers = tuple(_worker_at(worker, now) for worker in node.workers.all())
    if node.has_service:
        age = now - node.heartbeat
        lost = age > LOST_AFTER and node.state != NodeState.STOPPED
    else:
        age = min((at.age for at in workers), default=now - node.heartbeat)
        lost = any(at.lost for at in workers) and not any(at.live for at in workers)
    return NodeNow(node, age, lost, tuple(node.gpus.all()), workers)


def _worker_at(worker: Worker, now: datetime) -> WorkerAt:
    age = now - worker.heartbeat
    return WorkerAt(worker, age, age > LOST_AFTER and worker.state != Duty.STOPPED)
