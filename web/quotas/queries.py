"""Reads of limits."""

from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.db.models import F, Q, QuerySet

from web.accounts.models import User
from web.quotas.models import Quota

_CACHED = "gpu-quotas-exist"
_CACHED_S = 5
_SYSTEM = ":"  # in the names of the site's own accounts only


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit for a user. `group_id` and `name` are those of the class, None and empty for the user's own."""

    gpu_s: int
    group_id: int | None = None
    name: str = ""


def limits_of(user: User) -> list[Limit]:
    """Return the limits of the GPU time of `user`: the user's own first, then those of the classes.

    Instructors, staff and the site's own accounts have none. If the site has no limit, this does not
    read the database.
    """
    if user.is_staff or user.is_superuser or user.is_instructor or _SYSTEM in user.username:
        return []
    default = settings.WARPCOURT.gpu_seconds_per_day
    quotas = list(_quotas_of(user)) if quotas_exist() else []
    own = next((quota.gpu_s_per_day for quota in quotas if quota.user_id), default)
    classes = [
        Limit(quota.gpu_s_per_day, quota.group.pk, quota.group.name) for quota in quotas if quota.group
    ]
    return ([Limit(own)] if own else []) + classes


def quotas_exist() -> bool:
    """Return whether staff have set any limit. The answer is at most five seconds old."""
    return bool(cache.get_or_set(_CACHED, lambda: int(Quota.objects.exists()), _CACHED_S))


def forget_cached() -> None:
    """Make `quotas_exist` ask the database again."""
    cache.delete(_CACHED)


def list_quotas() -> QuerySet[Quota]:
    """Return all limits: those of users, of classes and of nodes, each by name."""
    # Databases disagree on where NULL sorts.
    names = (F(name).asc(nulls_last=True) for name in ("user__username", "group__name", "node__name"))
    return Quota.objects.select_related("user", "group", "node").order_by(*names)


def limit_of_node(name: str) -> int | None:
    """Return the limit of a node in GPU seconds per day, None if it has none. Usually without a query."""
    if not quotas_exist():
        return None
    return Quota.objects.filter(node__name=name).values_list("gpu_s_per_day", flat=True).first()


def _quotas_of(user: User) -> QuerySet[Quota]:
    mine = Q(user=user) | Q(group__in=user.groups.all())
    return Quota.objects.select_related("group").filter(mine).order_by("pk")
