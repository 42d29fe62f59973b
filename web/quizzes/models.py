"""Quizzes and attempts in the database. `loadproblems` and staff create quizzes."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from problems.vocabulary import Difficulty


class Quiz(models.Model):
    """A quiz. `source` is its file; the other columns repeat what lists need."""

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=80)
    summary = models.CharField(max_length=200)
    difficulty = models.CharField(max_length=8, choices=[(d.value, d.value) for d in Difficulty])
    tags = models.JSONField(default=list)
    track_day = models.PositiveSmallIntegerField(null=True, blank=True)
    questions = models.PositiveSmallIntegerField(help_text="Number of questions.")
    pass_mark = models.PositiveSmallIntegerField(help_text="Right answers that solve the quiz.")
    minutes = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Time limit, none if empty.")
    source = models.TextField(help_text="TOML.")
    version = models.CharField(max_length=64, help_text="SHA-256 of the source.")
    published = models.BooleanField(default=True, help_text="Only published quizzes are shown.")
    from_files = models.BooleanField(default=True, help_text="Whether `loadproblems` writes it.")
    live = models.BooleanField(default=True, help_text="Whether its file is there and sound.")
    added = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["track_day", "slug"]
        verbose_name_plural = "quizzes"
        constraints = [
            models.CheckConstraint(
                condition=Q(difficulty__in=[d.value for d in Difficulty]), name="quiz_difficulty_known"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Attempt(models.Model):
    """The answers of a user to one draw of a quiz. `draw` counts from 1 and decides the numbers.

    `answers` are what the user typed, or the places of the options as they were shown. They are empty if the
    user started a quiz with a time limit and did not answer. `late` says that the time limit was over.
    """

    quiz = models.ForeignKey(Quiz, models.CASCADE, related_name="attempts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="quiz_attempts")
    draw = models.PositiveIntegerField()
    version = models.CharField(max_length=64, help_text="Of the quiz that was answered.")
    answers = models.JSONField(default=list)
    right = models.PositiveSmallIntegerField(help_text="Number of right answers.")
    questions = models.PositiveSmallIntegerField(help_text="Number of questions.")
    passed = models.BooleanField()
    late = models.BooleanField(default=False, db_default=False)
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["quiz", "user", "draw"]
        constraints = [
            models.UniqueConstraint(fields=["user", "quiz", "draw"], name="attempt_draw_once"),
            models.CheckConstraint(condition=Q(right__lte=F("questions")), name="attempt_right_of_questions"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.quiz_id} {self.draw}"


class Sitting(models.Model):
    """The latest start of a user at a quiz with a time limit. The numbers are those of `draw`."""

    quiz = models.ForeignKey(Quiz, models.CASCADE, related_name="sittings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="quiz_sittings")
    draw = models.PositiveIntegerField()
    version = models.CharField(max_length=64, help_text="Of the quiz that was started.")
    started = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["quiz", "user"]
        constraints = [models.UniqueConstraint(fields=["user", "quiz"], name="sitting_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.quiz_id} {self.draw}"

    @property
    def due(self) -> datetime:
        """The time at which the answers must be in."""
        return self.started + timedelta(minutes=self.quiz.minutes or 0)
