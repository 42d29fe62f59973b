"""Writes of limits. Each is in the audit log."""

from django.contrib.auth.models import Group
from django.db import transaction

from web.accounts.models import User
from web.audit.models import AuditKind
from web.audit.services import log
from web.quotas.models import Quota
from web.quotas.queries import forget_cached


@transaction.atomic
def set_quota(owner: User | Group, gpu_s_per_day: int, actor: User | None) -> Quota:
    """Limit the GPU seconds per day of a user, or of all learners of a class together."""
    known = {"user": owner} if isinstance(owner, User) else {"group": owner}
    quota, _ = Quota.objects.update_or_create(**known, defaults={"gpu_s_per_day": gpu_s_per_day})
    log(actor, AuditKind.QUOTA_SET, owner, gpu_seconds_per_day=gpu_s_per_day)
    transaction.on_commit(forget_cached)
    return quota


@transaction.atomic
def remove_quota(quota: Quota, actor: User | None) -> None:
    """Remove a limit. A user then has the limit of the settings again."""
    log(actor, AuditKind.QUOTA_REMOVE, quota.user or quota.group, gpu_seconds_per_day=quota.gpu_s_per_day)
    quota.delete()
    transaction.on_commit(forget_cached)
