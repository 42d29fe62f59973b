"""Stores replays of runs, a bounded number for each user."""

from judge import report as judge_report
from web.submissions.models import Replay, Report

KEPT_REPLAYS = 20  # of a user


def keep_replay(report: Report, replay: judge_report.Replay) -> None:
    """Store the replay of `report`, and delete the user's oldest ones beyond KEPT_REPLAYS."""
    user_id = report.submission.user_id
    Replay.objects.create(report=report, user_id=user_id, case=replay.case, packed=replay.packed)
    own = Replay.objects.filter(user=user_id).order_by("-pk")
    old = list(own.values_list("pk", flat=True)[KEPT_REPLAYS:])
    if old:
        Replay.objects.filter(pk__in=old).delete()
