"""The reports of nodes. Every write is idempotent, and nodes repeat it periodically."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Case, DateTimeField, F, Q, When

from sandbox.gpu.nvml import GpuInfo
from web.fleet.models import Gpu, Health, Node, NodeState
from web.site.clock import DatabaseNow

_GONE = "its node no longer detects it"


@dataclass(frozen=True, slots=True)
class GpuStatus:
    """The status of a GPU. `reason` says why it is in quarantine, or is empty if it is in use."""

    uuid: str
    reason: str = ""
    temperature_c: int | None = None
    checking: int = 0
    ranking: bool = False
    waiting: int = 0


@transaction.atomic
def record_inventory(name: str, versions: Mapping[str, str], gpus: Iterable[GpuInfo]) -> Node:
    """Store the inventory of a node. Its earlier GPUs that are not in `gpus` are marked missing.

    A GPU is identified by its uuid. A GPU that moves to another node keeps its calibration.
    """
    node, _ = Node.objects.update_or_create(
        name=name,
        defaults={
            "versions": dict(versions),
            "heartbeat": DatabaseNow(),
            "has_service": True,
            "state": NodeState.SERVING,
            "message": "",
        },
    )
    named = []
    for gpu in gpus:
        named.append(gpu.uuid)
        Gpu.objects.update_or_create(
            uuid=gpu.uuid,
            defaults={
                "node": node,
                "minor": gpu.minor,
                "model": gpu.model,
                "memory_mib": gpu.memory_mib,
                "driver": gpu.driver,
                "cuda": ".".join(map(str, gpu.cuda)),
                "capability": ".".join(map(str, gpu.capability)),
                "sm_mhz": gpu.sm_mhz,
                "memory_mhz": gpu.memory_mhz,
            },
        )
    node.gpus.exclude(uuid__in=named).update(
        **_health(Health.MISSING, _GONE), checking=0, ranking=False, waiting=0, temperature_c=None
    )
    return node


@transaction.atomic
def record_heartbeat(
    name: str, gpus: Iterable[GpuStatus], *, state: NodeState = NodeState.SERVING, message: str = ""
) -> bool:
    """Record that a node lives, and the state of its GPUs.

    Return False if it must record its inventory first.
    """
    # A worker may have created the node again after its deletion. Then the node has no service yet.
    node = Node.objects.filter(name=name, has_service=True)
    known = [node.update(heartbeat=DatabaseNow(), state=state, message=message)]
    for gpu in gpus:
        health = Health.QUARANTINED if gpu.reason else Health.WELL
        known.append(
            Gpu.objects.filter(uuid=gpu.uuid, node__name=name).update(
                **_health(health, gpu.reason),
                temperature_c=gpu.temperature_c,
                checking=gpu.checking,
                ranking=gpu.ranking,
                waiting=gpu.waiting,
            )
        )
    return all(known)


def record_calibration(uuid: str, calibration: Mapping[str, float | str]) -> bool:
    """Store a GPU's calibration by the trusted clock. Return False if no node has recorded the GPU."""
    return bool(Gpu.objects.filter(uuid=uuid).update(calibration=dict(calibration)))


def _health(health: Health, reason: str) -> dict[str, object]:
    """Return the columns that set a GPU's health, and `since` if the health changes."""
    return {
        "health": health,
        "reason": reason,
        "since": Case(
            When(Q(health=health), then=F("since")), default=DatabaseNow(), output_field=DateTimeField()
        ),
    }
