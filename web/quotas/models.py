"""Limits that staff set for single users and for classes."""

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Quota(models.Model):
    """The GPU seconds that a user, or all learners of a class together, may use per day.

    For a user, it replaces `WARPCOURT_GPU_SECONDS_PER_DAY`; 0 then means no limit. For a class, it limits the
    sum over its learners: instructors and staff do not count.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="gpu_quota"
    )
    group = models.OneToOneField(
        Group, models.CASCADE, null=True, blank=True, related_name="gpu_quota", verbose_name="class"
    )
    gpu_s_per_day = models.PositiveIntegerField("GPU seconds per day")
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=True, group__isnull=False)
                | Q(user__isnull=False, group__isnull=True),
                name="quota_of_one",
            ),
            models.CheckConstraint(
                condition=Q(group__isnull=True) | Q(gpu_s_per_day__gt=0), name="quota_of_class_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.owner}: {self.gpu_s_per_day} s"

    @property
    def owner(self) -> str:
        """Return the name of the user or of the class."""
        return str(self.user or self.group)
