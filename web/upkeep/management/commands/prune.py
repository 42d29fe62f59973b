"""`manage.py prune`: throw away what nobody needs any more; see `web.upkeep.retention`."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from web.upkeep.retention import prune


class Command(BaseCommand):
    help = (
        "Delete sessions that are over, earlier texts of drafts after 90 days, and the steps of judged "
        "submissions after WARPCOURT_EVENTS_KEPT_DAYS. Right at any time; run it every night."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        gone = prune(settings.WARPCOURT.events_kept_days)
        self.stdout.write(
            f"Deleted {gone.events} steps of submissions, {gone.sessions} sessions and {gone.revisions} "
            "earlier texts of drafts"
        )
