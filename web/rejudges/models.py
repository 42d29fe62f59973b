"""Rejudges with their hidden runs."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from problems.vocabulary import Verdict
from web.audit.models import TEXT_CHARACTERS
from web.jobs.models import JobKind, JobState, LeasedJob, Listed
from web.submissions.models import STAMP_CHARACTERS, Submission


class RejudgeState(models.TextChoices):
    """The state of a rejudge. Staff apply or discard the result of a ready one."""

    RUNNING = "running"
    READY = "ready"
    APPLYING = "applying"
    APPLIED = "applied"
    DISCARDED = "discarded"
    CANCELLED = "cancelled"


UNANSWERED = (RejudgeState.RUNNING, RejudgeState.READY, RejudgeState.APPLYING)


class Rejudge(models.Model):
    """A dry run over submissions that shows which verdicts would change.

    `chosen` describes the chosen submissions in words. `package` is the version to preview. It is empty if
    each submission is judged by the live version of its problem. Until the rejudge is applied, no visible
    verdict changes.
    """

    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="rejudges"
    )
    reason = models.CharField(max_length=TEXT_CHARACTERS)
    chosen = models.JSONField(default=dict)
    package = models.ForeignKey(
        "packages.PackageVersion",
        models.SET_NULL,
        null=True,
        blank=True,
        db_index=False,
        related_name="rejudges",
    )
    state = models.CharField(max_length=9, choices=RejudgeState.choices, default=RejudgeState.RUNNING)
    created = models.DateTimeField(default=timezone.now, editable=False)
    ended = models.DateTimeField(
        null=True, blank=True, help_text="When the rejudge was applied, discarded or cancelled."
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=RejudgeState.values), name="rejudge_state_known")
        ]

    def __str__(self) -> str:
        return f"rejudge {self.pk}"


class Resolution(models.TextChoices):
    """The resolution of a run's result. `kept`: the visible verdict was kept, and `note` says why."""

    OPEN = "open"
    APPLIED = "applied"
    KEPT = "kept"
    DROPPED = "dropped"


class Change(models.TextChoices):
    """The result of a hidden run. Times differ if the intervals of the scores do not overlap."""

    SAME = "same", "Same"
    VERDICT = "verdict", "Changed verdict"
    FASTER = "faster", "Faster"
    SLOWER = "slower", "Slower"
    OTHER_GPU = "other_gpu", "Different GPU"
    FAILED = "failed", "Judge failed"


class HiddenRun(LeasedJob):
    """A hidden run. The row contains the job, and the reports before and after.

    `report_id` is the visible report to compare with. If that report has been replaced by the time of
    applying, the visible report stays. The body and the packed listings are deleted once they are not needed.
    `package` is the version to judge by, chosen when the rejudge starts.
    """

    listed = Listed(
        JobKind.REJUDGE,
        subject="submission__problem__slug",
        person="rejudge__creator__username",
        key="rejudge",
        while_waiting=False,
    )

    rejudge = models.ForeignKey(Rejudge, models.CASCADE, related_name="runs")
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="hidden_runs")
    package = models.ForeignKey(
        "packages.PackageVersion",
        models.SET_NULL,
        null=True,
        blank=True,
        db_index=False,
        related_name="hidden_runs",
    )
    resolution = models.CharField(max_length=7, choices=Resolution.choices, default=Resolution.OPEN)

    report_id = models.BigIntegerField()
    old_verdict = models.CharField(max_length=24, choices=[(v.value, v.value) for v in Verdict])
    old_version = models.CharField(max_length=64, blank=True)
    old_gpu_model = models.CharField(max_length=STAMP_CHARACTERS, blank=True)
    old_score_us = models.FloatField(null=True, blank=True)
    old_low_us = models.FloatField(null=True, blank=True)
    old_high_us = models.FloatField(null=True, blank=True)

    verdict = models.CharField(max_length=24, blank=True, choices=[(v.value, v.value) for v in Verdict])
    message = models.TextField(blank=True)
    version = models.CharField(max_length=64, blank=True)
    gpu_model = models.CharField(max_length=STAMP_CHARACTERS, blank=True)
    score_us = models.FloatField(null=True, blank=True)
    low_us = models.FloatField(null=True, blank=True)
    high_us = models.FloatField(null=True, blank=True)
    change = models.CharField(max_length=9, blank=True, choices=Change.choices)
    body = models.JSONField(null=True, blank=True)
    listings = models.BinaryField(null=True, blank=True)
    note = models.CharField(max_length=TEXT_CHARACTERS, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta(LeasedJob.Meta):
        ordering = ["pk"]
        indexes = [
            *LeasedJob.Meta.indexes,
            models.Index(fields=["rejudge", "change", "id"], name="hidden_run_by_change"),
            models.Index(fields=["rejudge", "state"], name="hidden_run_by_state"),
        ]
        constraints = [
            *LeasedJob.Meta.constraints,
            models.UniqueConstraint(fields=["rejudge", "submission"], name="hidden_run_once"),
            models.CheckConstraint(
                condition=Q(resolution__in=Resolution.values), name="hidden_run_resolution_known"
            ),
            models.CheckConstraint(
                condition=~Q(state=JobState.DONE.value, resolution=Resolution.OPEN.value)
                | (~Q(verdict="") & Q(body__isnull=False)),
                name="hidden_run_done_has_report",
            ),
            models.CheckConstraint(
                condition=Q(score_us__isnull=True)
                | Q(low_us__gt=0, score_us__gte=F("low_us"), high_us__gte=F("score_us")),
                name="hidden_run_score_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rejudge_id}: {self.submission_id} {self.state}"
