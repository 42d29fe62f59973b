"""What workers write about themselves, and what they are told in return.

Theory of operation. The main process of every worker reports every few seconds that it lives, and reads in
the same breath what staff want of its node: to take nothing more, and which GPUs to leave alone. All times
are the database's, since the clocks of hosts differ. A worker that ends says so; of one that is killed the
last report grows old. Rows of those that are long gone are swept away by whoever starts next.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q

from web.fleet.models import Duty, Gpu, Node, Worker
from web.site.clock import DatabaseNow

FORGOTTEN_AFTER = timedelta(days=1)
_SILENT_AFTER = timedelta(seconds=6)  # two reports


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReport:
    """A worker at a moment. `instance` is this run of it; `message` says what keeps it from judging."""

    node: str
    name: str
    instance: str
    queues: tuple[str, ...]
    concurrency: int
    version: str
    busy: int = 0
    state: Duty = Duty.SERVING
    message: str = ""


@dataclass(frozen=True, slots=True)
class Orders:
    """What staff want of a node. `held` has the reason of each GPU that is to be left alone, by uuid."""

    drained: bool
    held: Mapping[str, str]


def record_worker(report: WorkerReport) -> None:
    """Store what a worker says of itself. It may be repeated, and comes again by itself."""
    said = {
        "name": report.name,
        "queues": list(report.queues),
        "concurrency": report.concurrency,
        "busy": report.busy,
        "version": report.version,
        "state": report.state,
        "message": report.message,
    }
    if not Worker.objects.filter(instance=report.instance).update(**said, heartbeat=DatabaseNow()):
        _introduce(report, said)


def orders_for(node_name: str) -> Orders:
    """What staff want of a node; nothing where nobody has heard of it."""
    drained = Node.objects.filter(name=node_name, drained=True).exists()
    held = Gpu.objects.filter(node__name=node_name).exclude(hold_reason="")
    return Orders(drained, dict(held.values_list("uuid", "hold_reason")))


@transaction.atomic
def _introduce(report: WorkerReport, said: Mapping[str, object]) -> None:
    """Store a worker that is new, or whose node somebody removed; forget those that have gone."""
    node, _ = Node.objects.get_or_create(
        name=report.node, defaults={"has_service": False, "heartbeat": DatabaseNow()}
    )
    gone = Q(heartbeat__lt=DatabaseNow() - FORGOTTEN_AFTER)
    # A container that was started again has the name of its former self. Two that live may share one as well.
    silent = Q(state=Duty.STOPPED) | Q(heartbeat__lt=DatabaseNow() - _SILENT_AFTER)
    Worker.objects.filter(gone | Q(node=node, name=report.name) & silent).delete()
    Worker.objects.create(
        **said, node=node, instance=report.instance, started=DatabaseNow(), heartbeat=DatabaseNow()
    )
