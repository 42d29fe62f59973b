"""Orders of staff: drain nodes, and hold GPUs. Each order is in the audit log.

Orders have their own columns, which no node or worker writes. The workers of the node read them within
seconds, and at every claim; see `web.fleet.presence` and `worker.presence`. Repeating an order changes its
reason.
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
    """Stop the workers on `node` from taking new submissions. They finish their current ones.

    Raises:
        ValueError: there is no reason.
    """
    columns = {"drained": True, "drain_reason": _reason(reason), "drained_by": _name(actor)}
    Node.objects.filter(pk=node.pk, drained=False).update(drained_since=DatabaseNow(), **columns)
    Node.objects.filter(pk=node.pk, drained=True).update(**columns)
    log(actor, AuditKind.NODE_DRAIN, node, reason=columns["drain_reason"])


@transaction.atomic
def undrain(actor: Actor, node: Node) -> bool:
    """Let the workers on `node` take submissions again. Return False if it was not drained."""
    drained = Node.objects.filter(pk=node.pk, drained=True)
    changed = drained.update(drained=False, drain_reason="", drained_by="", drained_since=None)
    if changed:
        log(actor, AuditKind.NODE_UNDRAIN, node)
    return bool(changed)


@transaction.atomic
def hold(actor: Actor, gpu: Gpu, *, reason: str) -> None:
    """Keep `gpu` out of use until it is released, even if it is healthy. Running jobs on it finish.

    Raises:
        ValueError: there is no reason.
    """
    columns = {"hold_reason": _reason(reason), "held_by": _name(actor)}
    Gpu.objects.filter(pk=gpu.pk, hold_reason="").update(held_since=DatabaseNow(), **columns)
    Gpu.objects.filter(pk=gpu.pk).exclude(hold_reason="").update(**columns)
    log(actor, AuditKind.GPU_HOLD, gpu, reason=columns["hold_reason"])


@transaction.atomic
def release(actor: Actor, gpu: Gpu) -> bool:
    """Release `gpu`. It is used again once its node finds it healthy. Return False if it was not held."""
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
