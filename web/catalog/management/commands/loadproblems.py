"""`manage.py loadproblems`: make the catalogue say what the problem packages say."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from problems.loader import load_sound
from web.catalog import services


class Command(BaseCommand):
    help = "Load the problem packages into the catalogue. A broken package is reported and left out."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--draft", action="store_true", help="keep new problems unpublished")

    def handle(self, *_: object, **options: Any) -> None:
        packages, faults = load_sound(settings.WARPCOURT.problems_dir)
        synced = services.sync(packages, publish=not options["draft"])
        self.stdout.write(
            f"{len(packages)} problems: {len(synced.created)} new, {len(synced.updated)} updated, "
            f"{len(synced.unpublished)} unpublished"
        )
        if faults:
            raise CommandError("\n".join(["These packages are broken and left out:", *faults]))
