"""The fleet, for programs of staff. For all other users it does not exist."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema
from ninja.errors import HttpError
from pydantic import StringConstraints

from web.accounts import attempts
from web.api.auth import STAFF_ORDER, STAFF_READ, ApiRequest
from web.api.errors import documented
from web.fleet import handshake, orders, queries
from web.fleet.invitations import admit
from web.fleet.models import REASON_CHARACTERS, Duty, Gpu, Health, Node, NodeState
from web.fleet.queries import NodeNow, WorkerAt
from web.fleet.queues import queues_now
from web.site.version import version

router = Router(auth=STAFF_READ)
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=REASON_CHARACTERS)]

# Characters of a name: no control characters, because PostgreSQL cannot search for them.
Name = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f/]{1,120}$")]


class ReasonIn(Schema):
    """The reason, which staff can read."""

    reason: Reason


class WorkerOut(Schema):
    """A worker. `busy` of its `concurrency` slots are in use. `message` says why it cannot judge."""

    name: str
    state: Duty
    lost: bool
    busy: int
    concurrency: int
    queues: list[str]
    version: str
    message: str
    started: datetime
    heartbeat: datetime


class GpuOut(Schema):
    """A GPU. `hold_reason` says why staff quarantined it; null if they did not."""

    uuid: str
    model: str
    health: Health
    reason: str
    since: datetime
    hold_reason: str | None
    held_by: str
    temperature_c: int | None
    checking: int
    ranking: bool
    waiting: int
    memory_mib: int
    driver: str
    cuda: str


class NodeOut(Schema):
    """A node. `state` is the state of its node service; null if it has none.

    `idle`: no worker of the node is judging or accepts submissions.
    """

    name: str
    state: NodeState | None
    message: str
    lost: bool
    heard_s: float = Field(description="Seconds since its last heartbeat.")
    drained: bool
    drain_reason: str | None
    drained_by: str
    idle: bool
    versions: dict[str, str]
    workers: list[WorkerOut]
    gpus: list[GpuOut]


class QueueOut(Schema):
    """A queue: the jobs that wait in it, and how many workers serve it."""

    queue: str
    waiting: int
    workers: int


class FleetOut(Schema):
    """The fleet. `version` is the version of the site."""

    version: str
    nodes: list[NodeOut]
    queues: list[QueueOut]


class DoneOut(Schema):
    """Whether the request changed anything."""

    changed: bool


@router.get("", response={200: FleetOut, **documented(401, 404)}, summary="Show the fleet")
def show_fleet(request: ApiRequest) -> Any:  # noqa: ARG001 - an operation takes it
    """Return the current state of nodes, workers, GPUs and queues. For staff."""
    nodes = queries.fleet()
    return {
        "version": version(),
        "nodes": [_node(now) for now in nodes],
        "queues": queues_now(nodes),
    }


@router.post(
    "/nodes/{node_name}/drain",
    auth=STAFF_ORDER,
    response={200: DoneOut, **documented(401, 403, 404, 422)},
    summary="Drain a node",
)
def drain_node(request: ApiRequest, node_name: Name, body: ReasonIn) -> Any:
    """Drain a node: its workers finish their submissions and take no new ones. For staff."""
    node = get_object_or_404(Node, name=node_name)
    orders.drain(request.user, node, reason=body.reason)
    return {"changed": not node.drained}


@router.post(
    "/nodes/{node_name}/undrain",
    auth=STAFF_ORDER,
    response={200: DoneOut, **documented(401, 403, 404, 422)},
    summary="Resume a drained node",
)
def undrain_node(request: ApiRequest, node_name: Name) -> Any:
    """Let the workers of a node take submissions again. For staff."""
    return {"changed": orders.undrain(request.user, get_object_or_404(Node, name=node_name))}


@router.post(
    "/gpus/{uuid}/quarantine",
    auth=STAFF_ORDER,
    response={200: DoneOut, **documented(401, 403, 404, 422)},
    summary="Quarantine a GPU",
)
def quarantine_gpu(request: ApiRequest, uuid: Name, body: ReasonIn) -> Any:
    """Keep a GPU out of use until it is released. For staff."""
    gpu = get_object_or_404(Gpu, uuid=uuid)
    orders.hold(request.user, gpu, reason=body.reason)
    return {"changed": not gpu.hold_reason}


@router.post(
    "/gpus/{uuid}/release",
    auth=STAFF_ORDER,
    response={200: DoneOut, **documented(401, 403, 404, 422)},
    summary="Release a GPU",
)
def release_gpu(request: ApiRequest, uuid: Name) -> Any:
    """Use a GPU again as soon as its node reports it healthy. For staff."""
    return {"changed": orders.release(request.user, get_object_or_404(Gpu, uuid=uuid))}


def _node(now: NodeNow) -> dict[str, Any]:
    node = now.node
    return {
        "name": node.name,
        "state": node.state if node.has_service else None,
        "message": node.message,
        "lost": now.lost,
        "heard_s": round(max(0.0, now.age.total_seconds()), 1),
        "drained": node.drained,
        "drain_reason": node.drain_reason or None,
        "drained_by": node.drained_by,
        "idle": now.idle,
        "versions": node.versions,
        "workers": [_worker(at) for at in now.workers],
        "gpus": [_gpu(gpu) for gpu in now.gpus],
    }


def _worker(at: WorkerAt) -> dict[str, Any]:
    columns = ("name", "state", "busy", "concurrency", "queues", "version", "message", "started", "heartbeat")
    return {"lost": at.lost, **{name: getattr(at.worker, name) for name in columns}}


def _gpu(gpu: Gpu) -> dict[str, Any]:
    columns = [name for name in GpuOut.model_fields if name != "hold_reason"]
    return {"hold_reason": gpu.hold_reason or None, **{name: getattr(gpu, name) for name in columns}}


class JoinIn(Schema):
    """The token's id, a random nonce, and the proof that the node has the token."""

    id: Annotated[str, StringConstraints(pattern=f"^[0-9a-f]{{{handshake.ID_CHARACTERS}}}$")]
    nonce: Annotated[str, StringConstraints(pattern=f"^[0-9a-f]{{{handshake.NONCE_CHARACTERS}}}$")]
    proof: Annotated[str, StringConstraints(pattern=f"^[0-9a-f]{{{handshake.PROOF_CHARACTERS}}}$")]


class JoinOut(Schema):
    """The settings of the node, sealed with the token, and the proof that the site made the token."""

    sealed: str
    proof: str


@router.post(
    "/join",
    auth=None,
    response={200: JoinOut, **documented(400, 403, 413, 422)},
    summary="Join a node with a token",
)
def join(request: HttpRequest, wanted: JoinIn) -> Any:
    """Return the settings of a new node. `warpcourt-admin node join` calls this; a token works once."""
    admission = attempts.look_up(request, wanted.id, lambda key: admit(key, wanted.nonce, wanted.proof))
    if admission is None:
        raise HttpError(403, "The token has expired, was used or replaced, or is wrong.")
    return {"sealed": admission.sealed, "proof": admission.proof}
