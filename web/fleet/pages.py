"""The badges and rows of nodes, workers and GPUs on the fleet page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from web.fleet.models import Duty, Gpu, Health, NodeState
from web.fleet.queries import NodeNow, WorkerAt, fleet
from web.fleet.queues import QueueNow, queues_now
from web.jobs.queries import Task, host_of, tasks_held
from web.site.version import version

_NODE_BADGES = {
    NodeState.SERVING: ("Serving", "good", "accepted"),
    NodeState.TROUBLED: ("Troubled", "limit", "warning"),
    NodeState.STOPPED: ("Stopped", "void", "cancelled"),
}
_GPU_BADGES = {
    Health.WELL: ("Well", "good", "accepted"),
    Health.QUARANTINED: ("Quarantined", "bad", "wrong_answer"),
    Health.MISSING: ("Missing", "void", "cancelled"),
}
_WORKER_BADGES = {
    Duty.SERVING: ("Serving", "good", "accepted"),
    Duty.DRAINING: ("Draining", "live", "pending"),
    Duty.STOPPED: ("Stopped", "void", "cancelled"),
}
_LOST_BADGE = ("Lost", "bad", "wrong_answer")
_LOST = "The service stopped or can't reach the database. Check the host. Other workers take over its jobs."
_NODE_REMEDIES = {
    NodeState.SERVING: "",
    NodeState.TROUBLED: "The service retries automatically. If this persists, check its log on that host.",
    NodeState.STOPPED: "The service was stopped. Start it with python -m worker.node, or remove the node.",
}
_GPU_REMEDIES = {
    Health.WELL: "",
    Health.QUARANTINED: "The node probes the GPU at least every ten minutes and uses it again once healthy.",
    Health.MISSING: "Check the host's kernel log for Xid errors, then reset the GPU or the host.",
}
_WORKERS_GONE = (
    "Its workers stopped or can't reach the database. Check the host. Other workers take over its jobs."
)
_UNABLE = "None of its workers can judge. See the reasons below. They resume once the cause is fixed."
_NO_WORKERS = "No worker is running on this node. Start one, or remove the node."
_CANNOT_JUDGE = ("Cannot judge", "limit", "warning")
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Badge:
    """A state for display: a word, a tone (CSS class), and a symbol of icons.svg."""

    word: str
    tone: str
    icon: str


@dataclass(frozen=True, slots=True)
class GpuRow:
    """A GPU with its badge and its load in words. If it is not used, the row says what to do.

    `held` says who holds it and why, or is empty.
    """

    gpu: Gpu
    badge: Badge
    load: str
    remedy: str
    held: str


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A worker with its badge and its load in words. `other_version`: its version differs from the site's."""

    at: WorkerAt
    badge: Badge
    heard: str
    load: str
    other_version: bool


@dataclass(frozen=True, slots=True)
class NodeCard:
    """A node with its badge and its rows. If it does not serve, the card says what to do.

    `drain` says who drained it and why, or is empty. `tasks` are the current tasks of its workers.
    """

    now: NodeNow
    badge: Badge
    heard: str
    remedy: str
    drain: str
    rows: tuple[GpuRow, ...]
    workers: tuple[WorkerRow, ...]
    other_version: bool
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class FleetPage:
    """The whole fleet. `versions` says which version runs where. It is empty if all versions are the same."""

    cards: list[NodeCard]
    queues: list[QueueNow]
    versions: list[str]
    workers: int
    busy: int
    slots: int
    gpus: int
    gpus_offered: int


def fleet_page() -> FleetPage:
    """Return the current state of the fleet."""
    nodes = fleet()
    held = tasks_held()
    gpus = [gpu for now in nodes for gpu in now.gpus]
    return FleetPage(
        cards=[card(now, held) for now in nodes],
        queues=queues_now(nodes),
        versions=mixed_versions(nodes),
        workers=sum(len(now.live_workers) for now in nodes),
        busy=sum(now.busy for now in nodes),
        slots=sum(now.slots for now in nodes),
        gpus=len(gpus),
        gpus_offered=sum(len(now.offered) for now in nodes),
    )


def mixed_versions(nodes: Iterable[NodeNow]) -> list[str]:
    """Return which version runs where, such as `0.2.0: this site, 2 workers`. Empty if all are the same."""
    found: dict[str, Counter[str]] = {version(): Counter({"this site": 1})}
    for now in nodes:
        for worker in now.live_workers:
            found.setdefault(worker.version, Counter())["worker"] += 1
        if now.node.has_service and not now.lost and "warpcourt" in now.node.versions:
            found.setdefault(now.node.versions["warpcourt"], Counter())["node service"] += 1
    if len(found) == 1:
        return []
    return [f"{known or 'unknown'}: {_parts(counts)}" for known, counts in sorted(found.items())]


def card(now: NodeNow, held: Iterable[Task] = ()) -> NodeCard:
    """Return a node for the page. `held` are the current tasks of all workers."""
    hosts = {host_of(worker.name) for worker in now.live_workers}
    service = now.node.versions.get("warpcourt", "") if now.node.has_service else ""
    badge, remedy = _node_badge(now)
    return NodeCard(
        now=now,
        badge=badge,
        heard=ago(now.age),
        remedy=remedy,
        drain=_order(now.node.drain_reason, now.node.drained_by),
        rows=tuple(_row(gpu) for gpu in now.gpus),
        workers=tuple(_worker_row(at) for at in now.workers),
        other_version=bool(service) and not now.lost and service != version(),
        tasks=tuple(task for task in held if host_of(task.worker) in hosts),
    )


def load(gpu: Gpu) -> str:
    """Return the load of a GPU in words: `ranking, 2 waiting`."""
    doing = "ranking" if gpu.ranking else f"{gpu.checking} checking" if gpu.checking else "idle"
    return f"{doing}, {gpu.waiting} waiting" if gpu.waiting else doing


def ago(age: timedelta) -> str:
    """Return an age in words: `3 s ago`, `2 min ago`, `5 h ago`, `4 days ago`."""
    seconds = max(0, round(age.total_seconds()))
    for unit_s, unit in ((_DAY_S, "days"), (_HOUR_S, "h"), (_MINUTE_S, "min")):
        if seconds >= 2 * unit_s:
            return f"{seconds // unit_s} {unit} ago"
    return f"{seconds} s ago"


def _node_badge(now: NodeNow) -> tuple[Badge, str]:
    """Return the badge of a node and what to do.

    The drain shows only on a node that would serve otherwise.
    """
    node = now.node
    state = NodeState(node.state) if node.has_service else _state_by_workers(now)
    if now.lost:
        return Badge(*_LOST_BADGE), _LOST if node.has_service else _WORKERS_GONE
    if node.drained and state is NodeState.SERVING:
        return (
            Badge("Drained", "void", "cancelled") if now.idle else Badge("Draining", "live", "pending")
        ), ""
    if now.unable and state is NodeState.SERVING:
        return Badge(*_CANNOT_JUDGE), _UNABLE
    if state is NodeState.STOPPED and not node.has_service:
        return Badge(*_NODE_BADGES[state]), _NO_WORKERS
    return Badge(*_NODE_BADGES[state]), _NODE_REMEDIES[state]


def _state_by_workers(now: NodeNow) -> NodeState:
    return NodeState.SERVING if now.live_workers else NodeState.STOPPED


def _row(gpu: Gpu) -> GpuRow:
    health = Health(gpu.health)
    held = _order(gpu.hold_reason, gpu.held_by)
    remedy = "" if held else _GPU_REMEDIES[health]
    if held and health is Health.WELL:
        remedy = "The node has not confirmed this yet. It should within seconds, unless the node is lost."
    return GpuRow(gpu, Badge(*_GPU_BADGES[health]), load(gpu), remedy, held)


def _worker_row(at: WorkerAt) -> WorkerRow:
    worker = at.worker
    badge = Badge(*_LOST_BADGE) if at.lost else Badge(*_WORKER_BADGES[Duty(worker.state)])
    if at.live and worker.message:
        badge = Badge(*_CANNOT_JUDGE)
    doing = f"{worker.busy} of {worker.concurrency}" if at.live else ""
    return WorkerRow(at, badge, ago(at.age), doing, at.live and worker.version != version())


def _order(reason: str, person: str) -> str:
    """Return an order of staff in words, or an empty string if there is none."""
    if not reason:
        return ""
    return f"{reason.rstrip('.')}. By {person or 'the command line'}"


def _parts(counts: Counter[str]) -> str:
    plural = {"worker": "workers", "node service": "node services"}
    return ", ".join(
        part if part not in plural else f"{count} {part if count == 1 else plural[part]}"
        for part, count in counts.items()
    )
