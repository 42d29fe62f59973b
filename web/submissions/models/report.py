"""The result of a judgement: the report, the listings and the cases."""

import zlib
from collections.abc import Mapping
from dataclasses import replace

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.functional import cached_property

from judge import report as judge_report
from judge.report_json import from_json
from problems.vocabulary import Group, Verdict
from web.accounts.models import User
from web.submissions.models.submission import Submission

STAMP_CHARACTERS = 120


class Report(models.Model):
    """The result of a judgement. `body` is a `judge.report.Report` without its listings.

    The columns are those that queries need. `version` is the problem's version that judged the submission.
    `gpu_model`, `driver` and `toolkit` describe the measurement, the first two empty without a GPU. Scores
    are in microseconds; smaller is better. `checker_score` is the number that the problem's checker gave,
    which ranks if the problem says so. `web.submissions.usage` explains `gpu_ms` and `cpu_ms`, which are
    null in reports from before version 0.3.
    """

    submission = models.OneToOneField(Submission, models.CASCADE, related_name="report")
    attempt = models.PositiveIntegerField()
    verdict = models.CharField(max_length=24, choices=[(v.value, v.value) for v in Verdict])
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
    checker_score = models.FloatField(null=True, blank=True)
    gpu_ms = models.PositiveIntegerField(null=True, blank=True, help_text="Time on a GPU, in milliseconds.")
    cpu_ms = models.PositiveIntegerField(null=True, blank=True, help_text="Time on CPUs, in milliseconds.")
    body = models.JSONField()
    finished = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["gpu_model", "score_us"], name="report_by_score", condition=Q(ranked=True)),
            models.Index(fields=["finished"], name="report_by_time"),
            models.Index(
                fields=["submission"],
                name="report_by_checker_score",
                condition=Q(checker_score__isnull=False),
            ),
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

    @cached_property
    def parsed(self) -> judge_report.Report:
        """The report as the judge wrote it, unredacted and without its listings.

        Its profile lacks the figures that are not numbers. A program can forge infinite figures, and the
        database stores null for them.
        """
        report = from_json(self.body)
        return replace(report, profile=_with_numbers(report.profile)) if report.profile else report


def _with_numbers(profile: judge_report.Profile) -> judge_report.Profile:
    """Return `profile` with the metrics that are numbers."""
    return replace(
        profile,
        launches=tuple(replace(each, metrics=_numbers(each.metrics)) for each in profile.launches),
        lines=tuple(replace(each, metrics=_numbers(each.metrics)) for each in profile.lines),
        instructions=tuple(replace(each, metrics=_numbers(each.metrics)) for each in profile.instructions),
    )


def _numbers(metrics: Mapping[str, float | None]) -> dict[str, float]:
    return {name: figure for name, figure in metrics.items() if figure is not None}


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


class Replay(models.Model):
    """How a run used memory in a case, packed by `judge.replay.packed`. Each user's latest ones are kept."""

    report = models.OneToOneField(Report, models.CASCADE, related_name="replay")
    user = models.ForeignKey(User, models.CASCADE, related_name="+", help_text="The submission's.")
    case = models.CharField(max_length=60)
    packed = models.BinaryField()
    created = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"{self.report_id}: {self.case}"


class ProfileReport(models.Model):
    """The file that Nsight Compute wrote about a profiled run. Each user's latest ones are kept.

    It comes from a sandbox. The site sends it to users and never reads it. `packed` is compressed by zlib.
    """

    report = models.OneToOneField(Report, models.CASCADE, related_name="profile_report")
    user = models.ForeignKey(User, models.CASCADE, related_name="+", help_text="The submission's.")
    size_bytes = models.PositiveIntegerField(help_text="Size of the file.")
    packed = models.BinaryField()
    created = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"{self.report_id}: {self.size_bytes} bytes"

    @property
    def content(self) -> bytes:
        """Return the file."""
        return zlib.decompress(self.packed)


class CaseResult(models.Model):
    """The outcome of one case, for statistics. Pages for users take it from `present_report`.

    `median_us` to `high_us` come from the trusted clock, for timed cases on a GPU.
    """

    report = models.ForeignKey(Report, models.CASCADE, related_name="cases")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    group = models.CharField(max_length=8, choices=[(v.value, v.value) for v in Group])
    public = models.BooleanField()
    verdict = models.CharField(max_length=24, choices=[(v.value, v.value) for v in Verdict])
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
