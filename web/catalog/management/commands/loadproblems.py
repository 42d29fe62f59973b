"""`manage.py loadproblems`: make the catalogue say what the problem packages say."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from problems.loader import load_sound
from problems.track import load_tracks
from web.catalog import services
from web.tracks import services as tracks


class Command(BaseCommand):
    help = (
        "Load the problem packages and the tracks into the catalogue. "
        "What is broken is reported and left out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--draft", action="store_true", help="keep new problems unpublished")

    def handle(self, *_: object, **options: Any) -> None:
        root = settings.WARPCOURT.problems_dir
        packages, faults = load_sound(root)
        files, track_faults = load_tracks(root)
        synced = services.sync(packages, publish=not options["draft"])
        self.stdout.write(
            f"{len(packages)} problems: {len(synced.created)} new, {len(synced.updated)} updated, "
            f"{len(synced.unpublished)} unpublished; {tracks.sync(files)} tracks"
        )
        if faults or track_faults:
            raise CommandError("\n".join(["What is broken here is left out:", *faults, *track_faults]))
