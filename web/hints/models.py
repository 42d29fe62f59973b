"""Records of help. No score, rank or mark depends on them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from problems.hints import MAX_HINTS
from web.catalog.models import Problem


class OpenedHint(models.Model):
    """A hint that a user opened. `number` counts from 1; the texts are in `Problem.hints`."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="opened_hints")
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="opened_hints")
    number = models.PositiveSmallIntegerField()
    opened = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "problem", "number"], name="opened_hint_once"),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=MAX_HINTS), name="opened_hint_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.problem_id} {self.number}"


class GivenUp(models.Model):
    """A problem whose editorial a user opened without having solved it. The user may still solve it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="given_up")
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="given_up")
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name_plural = "given up"
        constraints = [models.UniqueConstraint(fields=["user", "problem"], name="given_up_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.problem_id}"
