"""`manage.py prune`: delete outdated rows; see `web.upkeep.retention`."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from web.upkeep.retention import prune


class Command(BaseCommand):
    help = (
        "Delete expired sessions, earlier revisions of drafts and notifications after 90 days, replays of "
        "runs after 30 days, files of Nsight Compute after 7 days, runs of rejudges 7 days after these were "
        "cancelled or discarded and 90 days after they were applied, and the progress events of judged "
        "submissions after WARPCOURT_EVENTS_KEPT_DAYS. Safe at any time; run it every night."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        gone = prune(settings.WARPCOURT.events_kept_days)
        self.stdout.write(
            f"Deleted {gone.events} progress events, {gone.sessions} sessions, {gone.revisions} "
            f"earlier revisions of drafts, {gone.notifications} notifications, {gone.replays} replays, "
            f"{gone.profile_reports} files of Nsight Compute and {gone.hidden_runs} runs of rejudges"
        )
