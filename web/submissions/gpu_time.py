"""The GPU time that a user has used today, and its limits.

A day begins at 00:00 UTC. For a user or a class, a submission counts in the day in which it was made, once it
is judged. So a user can exceed a limit by the submissions that are in progress, at most `max_in_flight` of
them. For a node, a submission counts in the day in which it was judged. The sum of a class or a node covers
many submissions, so it is read at most every CLASS_SUM_KEPT_S seconds.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote

from django.core.cache import cache
from django.db.models import Q
from django.utils import timezone
from django.utils.timesince import timeuntil

from web.accounts.models import User
from web.quotas.queries import Limit, limit_of_node, limits_of
from web.submissions.usage import gpu_ms_of, gpu_ms_of_node

CLASS_SUM_KEPT_S = 15


@dataclass(frozen=True, slots=True)
class GpuTime:
    """The use of one limit. `name` is that of the class, empty for the user's own limit."""

    limit_s: int
    used_s: float
    resets: datetime
    name: str = ""

    @property
    def used_up(self) -> bool:
        """Return whether no more submissions are accepted for GPUs today."""
        return self.used_s >= self.limit_s

    @property
    def left_s(self) -> float:
        """Return the seconds that are left."""
        return max(self.limit_s - self.used_s, 0.0)

    @property
    def text(self) -> str:
        """Return the use in one sentence."""
        whose = f"Your class {self.name} has" if self.name else "You have"
        return f"{whose} used {self.used_s:.0f} of {self.limit_s} GPU seconds today."

    @property
    def reset_text(self) -> str:
        """Return a text that says when the count restarts."""
        return f"The count starts again at 00:00 UTC, in {timeuntil(self.resets, depth=1)}."


def tightest(user: User) -> GpuTime | None:
    """Return the limit that has the least time left for `user`; None if none applies."""
    limits = limits_of(user)
    if not limits:
        return None
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return min((_use_of(user, limit, today) for limit in limits), key=lambda use: use.left_s)


def node_used_up(name: str) -> bool:
    """Return whether a node has reached its limit of GPU seconds for today."""
    limit_s = limit_of_node(name)
    if limit_s is None:
        return False
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    key = f"gpu-ms-of-node-{quote(name)}-{today:%Y%m%d}"
    used_ms = cache.get_or_set(key, lambda: gpu_ms_of_node(name, today), CLASS_SUM_KEPT_S) or 0
    return int(used_ms) >= limit_s * 1000


def _use_of(user: User, limit: Limit, today: datetime) -> GpuTime:
    used_ms = (
        gpu_ms_of(Q(submission__user=user), today)
        if limit.group_id is None
        else _gpu_ms_of_class(limit.group_id, today)
    )
    return GpuTime(limit.gpu_s, used_ms / 1000, today + timedelta(days=1), limit.name)


def _gpu_ms_of_class(group_id: int, today: datetime) -> int:
    learners = Q(
        submission__user__groups=group_id,
        submission__user__is_staff=False,
        submission__user__is_instructor=False,
    )
    key = f"gpu-ms-of-class-{group_id}-{today:%Y%m%d}"
    return int(cache.get_or_set(key, lambda: gpu_ms_of(learners, today), CLASS_SUM_KEPT_S) or 0)
