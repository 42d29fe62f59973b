"""The one write of the audit log. It is called in the transaction of what it tells about."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model

from web.accounts.models import User
from web.audit.models import NAME_CHARACTERS, TEXT_CHARACTERS, AuditEntry, AuditKind


def log(
    actor: User | AnonymousUser | None, action: AuditKind, target: Model | None = None, **details: object
) -> AuditEntry:
    """Note that `actor` did `action` to `target`.

    `details` are values that JSON can hold: what it was, what it is, why. Never put sources, hidden cases,
    secrets or addresses into them. Without an actor it was done on the command line.
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
