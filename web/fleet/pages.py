"""How nodes and GPUs look on the fleet page."""

from dataclasses import dataclass
from datetime import timedelta

from web.fleet.models import Gpu, Health, State
from web.fleet.queries import NodeNow

_NODE_LOOKS = {
    State.SERVING: ("Serving", "good", "accepted"),
    State.TROUBLED: ("Troubled", "limit", "warning"),
    State.STOPPED: ("Stopped", "void", "cancelled"),
}
_GPU_LOOKS = {
    Health.WELL: ("Well", "good", "accepted"),
    Health.QUARANTINED: ("Quarantined", "bad", "wrong_answer"),
    Health.MISSING: ("Missing", "void", "cancelled"),
}
_LOST = (
    "The service or its host has gone, or cannot reach the database. Look at the host; its jobs go to others."
)
_NODE_REMEDIES = {
    State.SERVING: "",
    State.TROUBLED: "The service tries again by itself. If this stays, look into its log on that host.",
    State.STOPPED: "It was stopped on purpose. Start it with python -m worker.node, or remove the node.",
}
_GPU_REMEDIES = {
    Health.WELL: "",
    Health.QUARANTINED: "It is probed again by itself, at most ten minutes apart, and used once it is well.",
    Health.MISSING: "Look for Xid in the kernel log of its host, then reset the GPU or the host.",
}
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Look:
    """A state for people: a word, a tone (CSS class), and a symbol of icons.svg."""

    word: str
    tone: str
    icon: str


@dataclass(frozen=True, slots=True)
class GpuRow:
    """A GPU with its look, its load in words, and what to do about it where it is not used."""

    gpu: Gpu
    look: Look
    load: str
    remedy: str


@dataclass(frozen=True, slots=True)
class NodeCard:
    """A node with its look and its rows, and what to do about it where it does not serve."""

    now: NodeNow
    look: Look
    heard: str
    remedy: str
    rows: tuple[GpuRow, ...]


def card(now: NodeNow) -> NodeCard:
    """A node as the page shows it."""
    state = State(now.node.state)
    look = Look("Lost", "bad", "wrong_answer") if now.lost else Look(*_NODE_LOOKS[state])
    remedy = _LOST if now.lost else _NODE_REMEDIES[state]
    return NodeCard(now, look, ago(now.age), remedy, tuple(_row(gpu) for gpu in now.gpus))


def load(gpu: Gpu) -> str:
    """What a GPU does: `ranking, 2 waiting`."""
    doing = "ranking" if gpu.ranking else f"{gpu.checking} checking" if gpu.checking else "idle"
    return f"{doing}, {gpu.waiting} waiting" if gpu.waiting else doing


def ago(age: timedelta) -> str:
    """How long ago: `3 s ago`, `2 min ago`, `5 h ago`, `4 days ago`."""
    seconds = max(0, round(age.total_seconds()))
    for unit_s, unit in ((_DAY_S, "days"), (_HOUR_S, "h"), (_MINUTE_S, "min")):
        if seconds >= 2 * unit_s:
            return f"{seconds // unit_s} {unit} ago"
    return f"{seconds} s ago"


def _row(gpu: Gpu) -> GpuRow:
    health = Health(gpu.health)
    return GpuRow(gpu, Look(*_GPU_LOOKS[health]), load(gpu), _GPU_REMEDIES[health])
