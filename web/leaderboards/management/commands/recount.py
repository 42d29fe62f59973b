"""`manage.py recount`: make progress, tallies, leaderboards and the ranking anew from the reports."""

from django.core.management.base import BaseCommand

from web.leaderboards import ranking
from web.submissions import services


class Command(BaseCommand):
    help = (
        "Count all judged submissions anew: who has solved what, and how many were accepted. "
        "Right at any time; verdicts wait until it is done, a few seconds for a million submissions."
    )

    def handle(self, *_: object, **__: object) -> None:
        progress, tallies = services.recount()
        ranking.refresh()
        self.stdout.write(f"Counted anew: {progress} people's progress with a problem, {tallies} problems")
