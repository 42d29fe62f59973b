"""The reports of workers, and the orders that they get in return.

Theory of operation. The main process of every worker reports every few seconds that it lives. With the same
call it reads the orders of staff for its node: whether to take no new submissions, and which GPUs to keep out
of use. All times come from the database, because the clocks of hosts differ. A worker that ends reports this.
The last report of a killed worker becomes old. A starting worker deletes the rows of workers that are long
gone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q

from web.fleet.models import Duty, Gpu, Node, Worker
from web.site.clock import DatabaseNow

FORGOTTEN_AFTER = timedelta(days=1)
_SILENT_AFTER = timedelta(seconds=6)  # the time of two reports


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReport:
    """The status of a worker. `instance` identifies this run of it. `message` says why it can't judge."""

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
    """The orders of staff for a node. `held` maps the uuid of each held GPU to the reason."""

    drained: bool
    held: Mapping[str, str]


def record_worker(report: WorkerReport) -> None:
    """Store the report of a worker. It is idempotent, and workers repeat it periodically."""
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
    """Return the orders of staff for a node. An unknown node has none."""
    drained = Node.objects.filter(name=node_name, drained=True).exists()
    held = Gpu.objects.filter(node__name=node_name).exclude(hold_reason="")
    return Orders(drained, dict(held.values_list("uuid", "hold_reason")))


@transaction.atomic
def _introduce(report: WorkerReport, said: Mapping[str, object]) -> None:
    """Store a new worker, or one whose node was removed. Delete workers that are gone."""
    node, _ = Node.objects.get_or_create(
        name=report.node, defaults={"has_service": False, "heartbeat": DatabaseNow()}
    )
    gone = Q(heartbeat__lt=DatabaseNow() - FORGOTTEN_AFTER)
    # A restarted container has the name of its predecessor. Two live workers may have the same name as well.
    silent = Q(state=Duty.STOPPED) | Q(heartbeat__lt=DatabaseNow() - _SILENT_AFTER)
    Worker.objects.filter(gone | Q(node=node, name=report.name) & silent).delete()
    Worker.objects.create(
        **said, node=node, instance=report.instance, started=DatabaseNow(), heartbeat=DatabaseNow()
    )
