"""`manage.py recount`: rebuild progress, tallies, leaderboards and the ranking from the reports."""

from django.core.management.base import BaseCommand

from web.leaderboards import ranking
from web.submissions import services


class Command(BaseCommand):
    help = (
        "Rebuild the counts from all judged submissions: solved problems, accepted submissions, leaderboards "
        "and the ranking. Safe at any time. Verdicts wait until the command is done, a few seconds for a "
        "million submissions."
    )

    def handle(self, *_: object, **__: object) -> None:
        progress, tallies = services.recount()
        ranking.refresh()
        self.stdout.write(f"Recounted {progress} rows of progress and {tallies} problems")
