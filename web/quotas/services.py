"""Writes of limits. Each is in the audit log."""

from typing import Any

from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Model

from web.accounts.models import User
from web.audit.models import AuditKind
from web.audit.services import log
from web.fleet.models import Node
from web.quotas.models import Quota
from web.quotas.queries import forget_cached

_COLUMNS: dict[type[Model], str] = {User: "user", Group: "group", Node: "node"}


@transaction.atomic
def set_quota(owner: User | Group | Node, gpu_s_per_day: int, actor: User | None) -> Quota:
    """Limit the GPU seconds per day of a user, of all learners of a class together, or of a node."""
    known: dict[str, Any] = {_COLUMNS[type(owner)]: owner}
    quota, _ = Quota.objects.update_or_create(**known, defaults={"gpu_s_per_day": gpu_s_per_day})
    log(actor, AuditKind.QUOTA_SET, owner, gpu_seconds_per_day=gpu_s_per_day)
    transaction.on_commit(forget_cached)
    return quota


@transaction.atomic
def remove_quota(quota: Quota, actor: User | None) -> None:
    """Remove a limit. A user then has the limit of the settings again."""
    owner = quota.user or quota.group or quota.node
    log(actor, AuditKind.QUOTA_REMOVE, owner, gpu_seconds_per_day=quota.gpu_s_per_day)
    quota.delete()
    transaction.on_commit(forget_cached)
