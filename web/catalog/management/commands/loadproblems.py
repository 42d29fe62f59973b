"""`manage.py loadproblems`: make the catalogue say what the problem packages say."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from problems.loader import load_all
from web.catalog import services


class Command(BaseCommand):
    help = "Load the problem packages into the catalogue."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--draft", action="store_true", help="keep new problems unpublished")

    def handle(self, *_: object, **options: Any) -> None:
        synced = services.sync(load_all(settings.WARPCOURT.problems_dir), publish=not options["draft"])
        self.stdout.write(
            f"{len(synced.created)} new, {len(synced.updated)} updated, {len(synced.unpublished)} unpublished"
        )
