"""What boards are read from. It follows from the reports; `web.leaderboards.best` keeps it in step."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from problems.vocabulary import BaselineKind, Language
from web.catalog.models import Problem
from web.submissions.models import STAMP_CHARACTERS, Submission
from web.tracks.models import Track

LABEL_CHARACTERS = 60


class Best(models.Model):
    """A score that was its author's best on its board when it was handed in.

    That is the least median so far, or an interval that reaches lower than any before. `current` marks the
    one that stands, `record` those that were surely better than all before of everybody who ranks. The
    figures and the stamp are the report's, kept here so that a board is read from one table.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="bests")
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="bests", db_index=False)
    version = models.CharField(max_length=64)
    gpu_model = models.CharField(max_length=STAMP_CHARACTERS)
    language = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Language])
    submission = models.OneToOneField(Submission, models.CASCADE, related_name="best")
    score_us = models.FloatField()
    score_low_us = models.FloatField()
    score_high_us = models.FloatField()
    roofline_percent = models.FloatField(null=True)
    driver = models.CharField(max_length=STAMP_CHARACTERS, blank=True)
    toolkit = models.CharField(max_length=STAMP_CHARACTERS, blank=True)
    handed_in = models.DateTimeField()
    current = models.BooleanField()
    record = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "bests"
        indexes = [
            models.Index(
                fields=["problem", "version", "gpu_model", "language", "score_us"],
                name="best_by_place",
                condition=Q(current=True),
                # All that a board's places and counts need, so that no row is looked up for them.
                include=["id", "user", "handed_in", "submission", "score_low_us", "score_high_us"],
            ),
            models.Index(
                fields=["problem", "version", "gpu_model", "language", "handed_in"], name="best_by_time"
            ),
            models.Index(fields=["-handed_in"], name="best_records", condition=Q(record=True)),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "problem", "version", "gpu_model", "language"],
                name="best_current_once",
                condition=Q(current=True),
            ),
            models.CheckConstraint(condition=Q(language__in=[*Language]), name="best_language_known"),
            models.CheckConstraint(
                condition=Q(
                    score_low_us__gt=0, score_us__gte=F("score_low_us"), score_high_us__gte=F("score_us")
                ),
                name="best_score_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} on {self.problem_id}: {self.score_us} us"


class Baseline(models.Model):
    """A submission that others are compared with: its figures come from its report, as everybody's do.

    It shows on the board that its report belongs to once it is accepted and timed, and never before.
    """

    problem = models.ForeignKey(Problem, models.CASCADE, related_name="baselines")
    submission = models.OneToOneField(Submission, models.CASCADE, related_name="baseline")
    kind = models.CharField(max_length=9, choices=[(v.value, v.value) for v in BaselineKind])
    label = models.CharField(max_length=LABEL_CHARACTERS, help_text="What it is, in a few words.")
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
    """An overall ranking: of one GPU model, over all problems or those of one track. Made anew as a whole.

    `people` counts its places. `newest` is the latest row of `Best` that it knows of.
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
    """Somebody's place in a ranking. `web.leaderboards.ranking` says what the points are.

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
