"""The tables from which leaderboards are read. `web.submissions.best` keeps them equal to the reports."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from problems.vocabulary import BaselineKind
from web.catalog.models import Problem
from web.submissions.models import STAMP_CHARACTERS, Submission
from web.tracks.models import Track

LABEL_CHARACTERS = 60


class Baseline(models.Model):
    """A submission to compare others with. Its figures come from its report, as for all submissions.

    It appears on the board of its report after it is accepted and timed.
    """

    problem = models.ForeignKey(Problem, models.CASCADE, related_name="baselines")
    submission = models.OneToOneField(Submission, models.CASCADE, related_name="baseline")
    kind = models.CharField(max_length=9, choices=[(v.value, v.value) for v in BaselineKind])
    label = models.CharField(max_length=LABEL_CHARACTERS, help_text="Short description.")
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["problem", "kind", "label"]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=[*BaselineKind]), name="baseline_kind_known"),
            models.CheckConstraint(condition=~Q(label=""), name="baseline_has_label"),
        ]

    def __str__(self) -> str:
        return f"{self.problem_id}: {self.label}"


class Ranking(models.Model):
    """An overall ranking of one GPU model, over all problems or those of one track.

    It is rebuilt as a whole. `people` counts its places. `newest` is the latest row of `Best` that it
    includes.
    """

    gpu_model = models.CharField(max_length=STAMP_CHARACTERS)
    track = models.ForeignKey(Track, models.CASCADE, null=True, blank=True, related_name="rankings")
    people = models.PositiveIntegerField()
    newest = models.PositiveBigIntegerField()
    refreshed = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["gpu_model", "track"], name="ranking_once"),
            models.UniqueConstraint(
                fields=["gpu_model"], name="ranking_of_all_once", condition=Q(track__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gpu_model}, {self.track_id or 'all problems'}"


class Place(models.Model):
    """A user's place in a ranking. `web.leaderboards.ranking` defines the points.

    `problems` counts those with a score, `full` those of them with all points.
    """

    ranking = models.ForeignKey(Ranking, models.CASCADE, related_name="places", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="places")
    rank = models.PositiveIntegerField()
    points = models.FloatField()
    problems = models.PositiveIntegerField()
    full = models.PositiveIntegerField()

    class Meta:
        indexes = [models.Index(fields=["ranking", "rank"], name="place_by_rank")]
        constraints = [
            models.UniqueConstraint(fields=["ranking", "user"], name="place_once"),
            models.CheckConstraint(condition=Q(full__lte=F("problems")), name="place_full_of_problems"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}: {self.user_id}, {self.points} points"
