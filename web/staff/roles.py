"""Changes of users' roles. Each is in the audit log."""

from collections.abc import Mapping

from django.db import transaction

from web.accounts.models import User
from web.audit.models import AuditKind
from web.audit.services import log
from web.submissions import best

ROLES = ("is_instructor", "is_staff", "is_active")


@transaction.atomic
def change_roles(actor: User, user: User, wanted: Mapping[str, bool], *, reason: str) -> list[str]:
    """Give `user` the roles in `wanted`, which names each of `ROLES`. Return those that changed."""
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    changed = [name for name in ROLES if getattr(locked, name) != wanted[name]]
    if not changed:
        return []
    values = {name: [getattr(locked, name), wanted[name]] for name in changed}
    for name in changed:
        setattr(locked, name, wanted[name])
    locked.save(update_fields=changed)
    if "is_active" in changed:  # the user enters or leaves the rankings
        best.review(locked)
    log(actor, AuditKind.ROLE, locked, changed=changed, reason=reason, **values)
    return changed
