"""Stores replays and profile files of runs in separate rows, a limited number for each user."""

import zlib

from django.db import models

from judge import report as judge_report
from web.submissions.models import ProfileReport, Replay, Report

KEPT_REPLAYS = 20  # of a user
KEPT_PROFILE_REPORTS = 10  # of a user
PROFILE_REPORT_DAYS = 7  # age at which `web.upkeep.retention` deletes them
_LEVEL = 1  # a fast level, because the worker holds the lock of the job's row while it compresses


def keep_replay(report: Report, replay: judge_report.Replay) -> None:
    """Store the replay of `report`, and delete the user's oldest ones beyond KEPT_REPLAYS."""
    user_id = report.submission.user_id
    Replay.objects.create(report=report, user_id=user_id, case=replay.case, packed=replay.packed)
    _keep_latest(Replay.objects.filter(user=user_id), KEPT_REPLAYS)


def keep_profile_report(report: Report, content: bytes) -> None:
    """Store the file of Nsight Compute, and delete the user's oldest ones beyond KEPT_PROFILE_REPORTS."""
    user_id = report.submission.user_id
    packed = zlib.compress(content, _LEVEL)
    ProfileReport.objects.create(report=report, user_id=user_id, size_bytes=len(content), packed=packed)
    _keep_latest(ProfileReport.objects.filter(user=user_id), KEPT_PROFILE_REPORTS)


def _keep_latest(rows: models.QuerySet[models.Model], kept: int) -> None:
    old = list(rows.order_by("-pk").values_list("pk", flat=True)[kept:])
    if old:
        rows.filter(pk__in=old).delete()
