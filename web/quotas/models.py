"""Limits that staff set for single users, for classes and for nodes."""

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from django.utils import timezone

from web.fleet.models import Node


class Quota(models.Model):
    """A limit of GPU seconds per day: for a user, for all learners of a class together, or for a node.

    For a user, it replaces `WARPCOURT_GPU_SECONDS_PER_DAY`; 0 then means no limit. For a class, it limits the
    sum over its learners: instructors and staff do not count. For a node, it limits the sum over all
    submissions that the node judged. At the limit, the node takes no jobs until the next day.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="gpu_quota"
    )
    group = models.OneToOneField(
        Group, models.CASCADE, null=True, blank=True, related_name="gpu_quota", verbose_name="class"
    )
    node = models.OneToOneField(Node, models.CASCADE, null=True, blank=True, related_name="gpu_quota")
    gpu_s_per_day = models.PositiveIntegerField("GPU seconds per day")
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=False, group__isnull=True, node__isnull=True)
                | Q(user__isnull=True, group__isnull=False, node__isnull=True)
                | Q(user__isnull=True, group__isnull=True, node__isnull=False),
                name="quota_of_one_owner",
            ),
            models.CheckConstraint(
                condition=Q(user__isnull=False) | Q(gpu_s_per_day__gt=0), name="quota_positive_but_of_user"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.owner}: {self.gpu_s_per_day} s"

    @property
    def owner(self) -> str:
        """Return the name of the user, the class or the node."""
        return str(self.user or self.group or self.node)

    @property
    def kind(self) -> str:
        """Return what the owner is: `user`, `class` or `node`."""
        return "user" if self.user_id else "class" if self.group_id else "node"
