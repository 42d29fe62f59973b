"""Submissions and their jobs, events and reports. The rows are the truth; the broker only wakes workers."""

import secrets
import zlib

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from problems.vocabulary import Group, Language, Mode, Verdict
from web.catalog.models import Problem
from web.jobs.models import OPEN, REJUDGED, JobKind, LeasedJob, Listed

PUBLIC_ID_CHARACTERS = 12
STAMP_CHARACTERS = 120
_ALPHABET = "23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"


def new_public_id() -> str:
    """Return an identifier that cannot be guessed: 69 random bits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(PUBLIC_ID_CHARACTERS))


def may_be_public_id(text: str) -> bool:
    """Return whether `text` has the form of an identifier. If not, skip the query."""
    return text.isascii() and text.isalnum() and len(text) <= PUBLIC_ID_CHARACTERS


class Submission(models.Model):
    """A program as its author submitted it. Only `shared` and `package` change afterwards.

    `package` is the version of the problem that judges it: the live one when it was submitted or rejudged. It
    is empty for submissions from before there were versions.
    """

    public_id = models.CharField(
        max_length=PUBLIC_ID_CHARACTERS, unique=True, default=new_public_id, editable=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="submissions")
    problem = models.ForeignKey(Problem, models.PROTECT, related_name="submissions")
    version = models.CharField(max_length=64, help_text="Version of the problem at the time of submission.")
    # No index: only the deletion of a version would use it, and versions are not deleted.
    package = models.ForeignKey(
        "packages.PackageVersion",
        models.PROTECT,
        null=True,
        blank=True,
        db_index=False,
        related_name="submissions",
        help_text="Problem version that judges it.",
    )
    language = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Language])
    mode = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Mode])
    source = models.TextField()
    sizes = models.JSONField(null=True, blank=True, help_text="Custom sizes of a run.")
    seed = models.PositiveBigIntegerField(null=True, blank=True, help_text="Custom seed of a run.")
    gpu_model = models.CharField(
        max_length=120, blank=True, default="", db_default="", help_text="Requested GPU model. Empty for any."
    )
    shared = models.BooleanField(
        default=False, db_default=False, help_text="Whether users who solved the problem may read it."
    )
    idempotency_key = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001 - NULL is what makes it unique only where given
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-created", "-id"]
        indexes = [
            models.Index(fields=["user", "-created"], name="submission_by_user"),
            models.Index(fields=["problem", "-created"], name="submission_by_problem"),
            models.Index(fields=["user", "problem"], name="submission_of_user_to_problem"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "idempotency_key"], name="submission_once_per_key"),
            models.CheckConstraint(condition=Q(language__in=[*Language]), name="submission_language_known"),
            models.CheckConstraint(condition=Q(mode__in=[*Mode]), name="submission_mode_known"),
            models.CheckConstraint(
                condition=Q(sizes__isnull=True) | Q(mode=Mode.RUN.value), name="submission_sizes_only_in_runs"
            ),
            models.CheckConstraint(
                condition=Q(seed__isnull=True) | Q(mode=Mode.RUN.value), name="submission_seed_only_in_runs"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id


class Priority(models.IntegerChoices):
    """The urgency of a job. More urgent jobs are claimed first."""

    REJUDGE = REJUDGED
    SUBMIT = 10
    RUN = 20
    CONTEST = 30


class Job(LeasedJob):
    """The job of one submission.

    `events` is the sequence number of the submission's latest event. `user` is the submission's, stored here
    to count jobs by user. If a version of the site without queues created the job, `queue` is empty until the
    next sweep, and `user` is missing if the job was over by then.
    """

    listed = Listed(
        JobKind.SUBMISSION,
        subject="submission__problem__slug",
        person="submission__user__username",
        key="submission__public_id",
    )

    submission = models.OneToOneField(Submission, models.CASCADE, related_name="job")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="jobs", null=True, blank=True, db_index=False
    )
    cancel_requested = models.BooleanField(default=False)
    events = models.PositiveIntegerField(default=0)

    class Meta(LeasedJob.Meta):
        indexes = [
            *LeasedJob.Meta.indexes,
            models.Index(
                fields=["-priority", "fair_share_rank", "queued", "id"],
                name="job_in_order",
                condition=Q(state__in=OPEN),
            ),
            models.Index(fields=["user", "queued"], name="job_of_user", condition=Q(state__in=OPEN)),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id}: {self.state}"


class EventKind(models.TextChoices):
    """The kind of an event. `finished` is the last one of a judgement."""

    QUEUED = "queued"
    CLAIMED = "claimed"
    COMPILING = "compiling"
    COMPILED = "compiled"
    CASE = "case"
    DISTURBED = "disturbed"
    WAITING = "waiting"
    TIMING = "timing"
    RETRIED = "retried"
    FINISHED = "finished"


class Event(models.Model):
    """A step of a judgement, for clients. Append-only; `sequence` counts from 1 without gaps."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="events")
    sequence = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=EventKind.choices)
    payload = models.JSONField(default=dict)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["sequence"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "sequence"], name="event_sequence_unique"),
            models.CheckConstraint(condition=Q(kind__in=EventKind.values), name="event_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id}#{self.sequence} {self.kind}"


class Report(models.Model):
    """The result of a judgement. `body` is a `judge.report.Report` without its listings.

    The columns are those that queries need. `version` is the problem's version that judged the submission.
    `gpu_model`, `driver` and `toolkit` describe the measurement, the first two empty without a GPU. Scores
    are in microseconds; smaller is better.
    """

    submission = models.OneToOneField(Submission, models.CASCADE, related_name="report")
    attempt = models.PositiveIntegerField()
    verdict = models.CharField(max_length=16, choices=[(v.value, v.value) for v in Verdict])
    message = models.TextField(blank=True)
    version = models.CharField(max_length=64, blank=True, default="", db_default="")
    gpu_model = models.CharField(max_length=STAMP_CHARACTERS, blank=True, default="", db_default="")
    driver = models.CharField(max_length=STAMP_CHARACTERS, blank=True, default="", db_default="")
    toolkit = models.CharField(max_length=STAMP_CHARACTERS, blank=True, default="", db_default="")
    ranked = models.BooleanField(default=False, help_text="Whether the trusted clock timed it on a GPU.")
    score_us = models.FloatField(null=True, blank=True)
    score_low_us = models.FloatField(null=True, blank=True)
    score_high_us = models.FloatField(null=True, blank=True)
    roofline_percent = models.FloatField(null=True, blank=True)
    body = models.JSONField()
    finished = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["gpu_model", "score_us"], name="report_by_score", condition=Q(ranked=True)),
            models.Index(
                fields=["submission"],
                name="report_gave_up",
                condition=Q(verdict=Verdict.INTERNAL_ERROR.value),
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(verdict__in=[*Verdict]), name="report_verdict_known"),
            models.CheckConstraint(
                condition=Q(
                    ranked=True,
                    score_low_us__gt=0,
                    score_us__gte=F("score_low_us"),
                    score_high_us__gte=F("score_us"),
                )
                | Q(
                    ranked=False,
                    score_low_us__isnull=True,
                    score_us__isnull=True,
                    score_high_us__isnull=True,
                ),
                name="report_ranked_has_score",
            ),
            models.CheckConstraint(
                condition=Q(ranked=False) | (~Q(gpu_model="") & ~Q(version="")),
                name="report_ranked_has_stamp",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id}: {self.verdict}"


class ListingKind(models.TextChoices):
    """A kind of compiler output to read."""

    PTX = "ptx", "PTX"
    SASS = "sass", "SASS"


class Listing(models.Model):
    """Compiler output. It is large, so it is stored apart from the report, and packed."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="listings")
    kind = models.CharField(max_length=8, choices=ListingKind.choices)
    size_bytes = models.PositiveIntegerField(help_text="Size of the text in UTF-8.")
    packed = models.BinaryField()

    class Meta:
        ordering = ["kind"]
        constraints = [
            models.UniqueConstraint(fields=["report", "kind"], name="listing_kind_unique"),
            models.CheckConstraint(condition=Q(kind__in=ListingKind.values), name="listing_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.report_id}: {self.kind}"

    @classmethod
    def of(cls, report: Report, kind: ListingKind, text: str) -> "Listing":
        """Return an unsaved listing of `text`. Characters that databases cannot store are replaced."""
        data = text.encode(errors="replace")
        return cls(report=report, kind=kind, size_bytes=len(data), packed=zlib.compress(data, 6))

    @property
    def text(self) -> str:
        """Return the text."""
        return zlib.decompress(self.packed).decode()


class CaseResult(models.Model):
    """The outcome of one case, for statistics. Pages for users take it from `present_report`.

    `median_us` to `high_us` come from the trusted clock, for timed cases on a GPU.
    """

    report = models.ForeignKey(Report, models.CASCADE, related_name="cases")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    group = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Group])
    public = models.BooleanField()
    verdict = models.CharField(max_length=16, choices=[(v.value, v.value) for v in Verdict])
    wall_ms = models.FloatField(null=True)
    median_us = models.FloatField(null=True)
    low_us = models.FloatField(null=True)
    high_us = models.FloatField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.CheckConstraint(
                condition=Q(low_us__gt=0, median_us__gte=F("low_us"), high_us__gte=F("median_us"))
                | Q(low_us__isnull=True, median_us__isnull=True, high_us__isnull=True),
                name="case_result_timed_whole",
            ),
            models.UniqueConstraint(fields=["report", "position"], name="case_result_position_unique"),
            models.CheckConstraint(condition=Q(group__in=[*Group]), name="case_result_group_known"),
            models.CheckConstraint(condition=Q(verdict__in=[*Verdict]), name="case_result_verdict_known"),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.verdict}"


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


class Best(models.Model):
    """A score that was its author's best on its board when it was submitted.

    That is the lowest median yet, or an interval that reaches lower than any before. `current` marks the
    latest best. `record` marks scores that were significantly better than all earlier ones of users who rank.
    The figures and the stamp are the report's, stored here so that one table contains a board.
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
