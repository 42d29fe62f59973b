"""Reads about the fleet: for staff, which GPUs may be asked for, and who may take what waits."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypedDict

from django.core.cache import cache
from django.db.models import QuerySet

from web.fleet.models import Duty, Gpu, Health, Node, NodeState, Worker
from web.site.clock import DatabaseNow

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

LOST_AFTER = timedelta(seconds=30)  # several heartbeats
SHOWN_S = 5


class _Asked(TypedDict):
    """When the database was asked."""

    asked: datetime


@dataclass(frozen=True, slots=True)
class WorkerAt:
    """A worker and how it is now. `lost`: it says nothing any more, and never said that it stops."""

    worker: Worker
    age: timedelta
    lost: bool

    @property
    def live(self) -> bool:
        """Whether it runs."""
        return not self.lost and self.worker.state != Duty.STOPPED


@dataclass(frozen=True, slots=True)
class NodeNow:
    """A node and how it is now. `lost`: it says nothing any more, and never said that it stops.

    One without a node service speaks through its workers, and `age` is that of the last one heard.
    """

    node: Node
    age: timedelta
    lost: bool
    gpus: tuple[Gpu, ...]
    workers: tuple[WorkerAt, ...] = ()

    @property
    def live_workers(self) -> tuple[Worker, ...]:
        """The workers that run."""
        return tuple(at.worker for at in self.workers if at.live)

    @property
    def busy(self) -> int:
        """How many submissions are judged on it now."""
        return sum(worker.busy for worker in self.live_workers)

    @property
    def slots(self) -> int:
        """How many submissions it judges at a time."""
        return sum(worker.concurrency for worker in self.live_workers)

    @property
    def idle(self) -> bool:
        """Whether every worker on it knows of its drain, and has finished what it judged."""
        live = self.live_workers
        return not any(worker.busy or worker.state == Duty.SERVING for worker in live)

    @property
    def unable(self) -> bool:
        """Whether workers run on it, and none of them can judge."""
        live = self.live_workers
        return bool(live) and all(worker.message for worker in live)

    @property
    def offered(self) -> tuple[Gpu, ...]:
        """The GPUs that somebody may ask for; `offered_gpu_models` says the same of all nodes."""
        if self.lost or self.node.drained or self.node.state != NodeState.SERVING:
            return ()
        return tuple(gpu for gpu in self.gpus if gpu.health == Health.WELL and not gpu.hold_reason)


def fleet(now: datetime | None = None) -> list[NodeNow]:
    """Every node with its workers and GPUs, by name."""
    return [_at(node, now or node.asked) for node in _nodes()]


def find_node(name: str, now: datetime | None = None) -> NodeNow | None:
    """One node, None where nobody has heard of it."""
    node = _nodes().filter(name=name).first()
    return _at(node, now or node.asked) if node is not None else None


def offered_gpu_models(now: datetime | None = None) -> tuple[str, ...]:
    """The models that somebody may ask for: of GPUs that are well, on nodes that live and are not drained."""
    heard = (now or DatabaseNow()) - LOST_AFTER
    found = Gpu.objects.filter(
        health=Health.WELL,
        hold_reason="",
        node__state=NodeState.SERVING,
        node__drained=False,
        node__heartbeat__gte=heard,
    )
    return tuple(found.order_by("model").values_list("model", flat=True).distinct())


def shown_gpu_models() -> tuple[str, ...]:
    """What may be asked for as it was at most SHOWN_S ago: for pages, not for decisions."""
    return tuple(cache.get_or_set("offered-gpu-models", offered_gpu_models, SHOWN_S) or ())


def may_claim(node_name: str) -> bool:
    """Whether a worker on this node may take something to judge: not while the node is drained.

    A node that nobody has heard of yet may.
    """
    return not Node.objects.filter(name=node_name, drained=True).exists()


def capability_of(model: str) -> str:
    """The compute capability of GPUs of `model`, such as `9.0`; empty when no node has reported one."""
    return Gpu.objects.filter(model=model).values_list("capability", flat=True).first() or ""


def _nodes() -> "QuerySet[WithAnnotations[Node, _Asked]]":
    """Nodes with all that is theirs, and with what time it is in the database."""
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
