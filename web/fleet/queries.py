"""Reads about the fleet: for staff, and which GPUs may be asked for."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from web.fleet.models import Gpu, Health, Node, State

LOST_AFTER = timedelta(seconds=30)  # several heartbeats


@dataclass(frozen=True, slots=True)
class NodeNow:
    """A node and how it is now. `lost`: it says nothing any more, and never said that it stops."""

    node: Node
    age: timedelta
    lost: bool
    gpus: tuple[Gpu, ...]

    @property
    def offered(self) -> tuple[Gpu, ...]:
        """The GPUs that somebody may ask for; `offered_gpu_models` says the same of all nodes."""
        if self.lost or self.node.state != State.SERVING:
            return ()
        return tuple(gpu for gpu in self.gpus if gpu.health == Health.WELL)


def fleet(now: datetime | None = None) -> list[NodeNow]:
    """Every node with its GPUs, by name."""
    now = now or timezone.now()
    return [_at(node, now) for node in Node.objects.prefetch_related("gpus")]


def offered_gpu_models(now: datetime | None = None) -> tuple[str, ...]:
    """The models that somebody may ask for: of GPUs that are well, on nodes that serve and live."""
    heard = (now or timezone.now()) - LOST_AFTER
    found = Gpu.objects.filter(health=Health.WELL, node__state=State.SERVING, node__heartbeat__gte=heard)
    return tuple(found.order_by("model").values_list("model", flat=True).distinct())


def may_claim(node_name: str) -> bool:
    """Whether a worker on this node may take something to judge: not while the node is drained.

    A node that nobody has heard of yet may.
    """
    return not Node.objects.filter(name=node_name, drained=True).exists()


def capability_of(model: str) -> str:
    """The compute capability of GPUs of `model`, such as `9.0`; empty when no node has reported one."""
    return Gpu.objects.filter(model=model).values_list("capability", flat=True).first() or ""


def _at(node: Node, now: datetime) -> NodeNow:
    age = now - node.heartbeat
    lost = age > LOST_AFTER and node.state != State.STOPPED
    return NodeNow(node, age, lost, tuple(node.gpus.all()))
