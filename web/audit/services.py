"""The only write of the audit log. Call it in the transaction of the act that it records."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model

from web.accounts.models import User
from web.audit.models import NAME_CHARACTERS, TEXT_CHARACTERS, AuditEntry, AuditKind


def log(
    actor: User | AnonymousUser | None, action: AuditKind, target: Model | None = None, **details: object
) -> AuditEntry:
    """Record that `actor` did `action` to `target`.

    `details` are values that JSON can hold, such as the old value, the new value and the reason. Never
    include sources, hidden cases, secrets or addresses. Pass no actor for an act on the command line.
    """
    known = actor if actor is not None and actor.is_authenticated else None
    return AuditEntry.objects.create(
        actor=known,
        actor_name=known.get_username()[:NAME_CHARACTERS] if known else "",
        kind=action,
        target_kind=(target._meta.model_name or "") if target is not None else "",  # noqa: SLF001 - Django's public name for it
        target_id=str(target.pk) if target is not None else "",
        target_text=str(target)[:TEXT_CHARACTERS] if target is not None else "",
        details=details,
    )
