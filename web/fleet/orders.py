"""What staff order: to drain nodes, and to keep GPUs out of use. Each order is in the audit log.

Orders are columns of their own that no node or worker writes. They are read by the workers of the node
within seconds, and at every claim; see `web.fleet.presence` and `worker.presence`. To repeat an order
changes its reason.
"""

from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from web.accounts.models import User
from web.audit.models import AuditKind
from web.audit.services import log
from web.fleet.models import PERSON_CHARACTERS, REASON_CHARACTERS, Gpu, Node
from web.site.clock import DatabaseNow

Actor = User | AnonymousUser | None


@transaction.atomic
def drain(actor: Actor, node: Node, *, reason: str) -> None:
    """Let the workers on `node` take nothing more. What they judge now they finish.

    Raises:
        ValueError: there is no reason.
    """
    columns = {"drained": True, "drain_reason": _reason(reason), "drained_by": _name(actor)}
    Node.objects.filter(pk=node.pk, drained=False).update(drained_since=DatabaseNow(), **columns)
    Node.objects.filter(pk=node.pk, drained=True).update(**columns)
    log(actor, AuditKind.NODE_DRAIN, node, reason=columns["drain_reason"])


@transaction.atomic
def undrain(actor: Actor, node: Node) -> bool:
    """Let the workers on `node` take from the queue again. False when they were not kept from it."""
    drained = Node.objects.filter(pk=node.pk, drained=True)
    changed = drained.update(drained=False, drain_reason="", drained_by="", drained_since=None)
    if changed:
        log(actor, AuditKind.NODE_UNDRAIN, node)
    return bool(changed)


@transaction.atomic
def hold(actor: Actor, gpu: Gpu, *, reason: str) -> None:
    """Keep `gpu` out of use until it is released, however well it is. What runs on it now ends by itself.

    Raises:
        ValueError: there is no reason.
    """
    columns = {"hold_reason": _reason(reason), "held_by": _name(actor)}
    Gpu.objects.filter(pk=gpu.pk, hold_reason="").update(held_since=DatabaseNow(), **columns)
    Gpu.objects.filter(pk=gpu.pk).exclude(hold_reason="").update(**columns)
    log(actor, AuditKind.GPU_HOLD, gpu, reason=columns["hold_reason"])


@transaction.atomic
def release(actor: Actor, gpu: Gpu) -> bool:
    """Let `gpu` be used again, once its node has found it well. False when nobody kept it out of use."""
    held = Gpu.objects.filter(pk=gpu.pk).exclude(hold_reason="")
    changed = held.update(hold_reason="", held_by="", held_since=None)
    if changed:
        log(actor, AuditKind.GPU_RELEASE, gpu)
    return bool(changed)


def _reason(text: str) -> str:
    reason = " ".join(text.split())[:REASON_CHARACTERS]
    if not reason:
        raise ValueError("Enter a reason. Other staff will see it.")
    return reason


def _name(actor: Actor) -> str:
    return actor.get_username()[:PERSON_CHARACTERS] if actor is not None and actor.is_authenticated else ""
