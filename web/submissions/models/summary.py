"""Rows that summarize reports: each user's progress and best scores, and each problem's counts."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from problems.vocabulary import Language
from web.catalog.models import Problem
from web.submissions.models.report import STAMP_CHARACTERS
from web.submissions.models.submission import Submission


class Progress(models.Model):
    """A user's progress on a problem. Follows from the reports; `recount` rebuilds it.

    `solved` is when the first accepted submission was judged, null before.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="progress")
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="progress")
    runs = models.PositiveIntegerField(default=0, help_text="Number of judged runs.")
    judged = models.PositiveIntegerField(default=0, help_text="Number of judged submissions, without runs.")
    accepted = models.PositiveIntegerField(default=0, help_text="Number of accepted submissions.")
    solved = models.DateTimeField(null=True, blank=True)
    latest = models.DateTimeField(default=timezone.now, help_text="Time of the latest verdict.")

    class Meta:
        verbose_name_plural = "progress"
        indexes = [models.Index(fields=["user", "-latest"], name="progress_latest_of_user")]
        constraints = [
            models.UniqueConstraint(fields=["user", "problem"], name="progress_once"),
            models.CheckConstraint(
                condition=Q(accepted__lte=F("judged")), name="progress_accepted_of_judged"
            ),
            models.CheckConstraint(
                condition=Q(accepted=0, solved__isnull=True) | Q(accepted__gt=0, solved__isnull=False),
                name="progress_solved_when_accepted",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} on {self.problem_id}: {self.accepted} of {self.judged}"


class Tally(models.Model):
    """The counts of all submissions to a problem, without runs. Follows from the reports."""

    problem = models.OneToOneField(Problem, models.CASCADE, related_name="tally", primary_key=True)
    judged = models.PositiveIntegerField(default=0)
    accepted = models.PositiveIntegerField(default=0)
    solvers = models.PositiveIntegerField(default=0, help_text="Number of users with an accepted submission.")

    class Meta:
        verbose_name_plural = "tallies"
        constraints = [
            models.CheckConstraint(condition=Q(accepted__lte=F("judged")), name="tally_accepted_of_judged")
        ]

    def __str__(self) -> str:
        return f"{self.problem_id}: {self.accepted} of {self.judged}"


class BoardRow(models.Model):
    """A submission on a board: the columns of all tables of bests.

    They are copied from the submission and its report, so that one table contains a board.
    """

    version = models.CharField(max_length=64)
    gpu_model = models.CharField(max_length=STAMP_CHARACTERS)
    language = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Language])
    driver = models.CharField(max_length=STAMP_CHARACTERS, blank=True)
    toolkit = models.CharField(max_length=STAMP_CHARACTERS, blank=True)
    handed_in = models.DateTimeField()

    class Meta:
        abstract = True


class Best(BoardRow):
    """A time that was its author's best on its board when it was submitted.

    Such a score has the lowest median up to then, or the interval with the lowest lower end. `current` marks
    the latest best. `record` marks scores that were significantly better than all earlier ones of users who
    rank.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="bests")
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="bests", db_index=False)
    submission = models.OneToOneField(Submission, models.CASCADE, related_name="best")
    score_us = models.FloatField()
    score_low_us = models.FloatField()
    score_high_us = models.FloatField()
    roofline_percent = models.FloatField(null=True)
    current = models.BooleanField()
    record = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "bests"
        indexes = [
            models.Index(
                fields=["problem", "version", "gpu_model", "language", "score_us"],
                name="best_by_place",
                condition=Q(current=True),
                # All columns that a board's places and counts need, so that the index alone answers the
                # query.
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


class BestByChecker(BoardRow):
    """A submission whose score by the checker is its author's lowest, highest or latest on its board.

    The problem's rule, which can change, says whether low or high scores are better, so both are stored. Of
    equal scores, the earlier submission counts.

    The database does not enforce the references. Otherwise version 0.2, which does not know this table, could
    not delete an account during an upgrade. No board shows the rows that it leaves, because boards join the
    users, and `web.submissions.best.fill` removes them.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="bests_by_checker", db_constraint=False
    )
    problem = models.ForeignKey(
        Problem, models.CASCADE, related_name="bests_by_checker", db_constraint=False, db_index=False
    )
    submission = models.OneToOneField(
        Submission, models.CASCADE, related_name="best_by_checker", db_constraint=False
    )
    checker_score = models.FloatField()
    lowest = models.BooleanField()
    highest = models.BooleanField()
    latest = models.BooleanField()

    class Meta:
        verbose_name = "best by checker"
        verbose_name_plural = "bests by checker"
        indexes = [
            models.Index(
                fields=["problem", "version", "gpu_model", "language", "checker_score"],
                name="checker_best_by_place",
                # All columns that a board's places and counts need, as for `best_by_place`.
                include=["id", "user", "handed_in", "submission", "lowest", "highest"],
            ),
        ]
        constraints = [
            *(
                models.UniqueConstraint(
                    fields=["user", "problem", "version", "gpu_model", "language"],
                    name=f"checker_best_{mark}_once",
                    condition=Q(**{mark: True}),
                )
                for mark in ("lowest", "highest", "latest")
            ),
            models.CheckConstraint(
                condition=Q(lowest=True) | Q(highest=True) | Q(latest=True), name="checker_best_has_mark"
            ),
            models.CheckConstraint(condition=Q(language__in=[*Language]), name="checker_best_language_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} on {self.problem_id}: {self.checker_score}"
