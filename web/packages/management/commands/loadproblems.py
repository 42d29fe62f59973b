"""`manage.py loadproblems`: load the problem packages of the site."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from problems.quiz_files import load_quizzes
from problems.track import load_tracks
from web.packages import services
from web.quizzes import services as quizzes
from web.site.printable import printable
from web.tracks import services as tracks


class Command(BaseCommand):
    help = (
        "Load the problem packages, the quizzes and the tracks of the site. A changed package becomes the "
        "live version, unless an author has published a version. Invalid packages are reported and skipped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--draft", action="store_true", help="keep new problems unpublished")
        parser.add_argument(
            "--replace",
            action="append",
            default=[],
            metavar="SLUG",
            help="make the package of SLUG live even if an author has published a version",
        )

    def handle(self, *_: object, **options: Any) -> None:
        root = settings.WARPCOURT.problems_dir
        found = load_tracks(root)
        quiz_files, quiz_faults = load_quizzes(root)
        loaded = services.load_site(root, publish=not options["draft"], replace=options["replace"])
        self.stdout.write(
            f"{len(loaded.sound)} problems: {len(loaded.created)} new, {len(loaded.updated)} updated, "
            f"{len(loaded.unpublished)} unpublished; {tracks.sync(found.files, found.curriculum)} tracks; "
            f"{quizzes.sync(quiz_files)} quizzes"
        )
        if loaded.kept:
            self.stdout.write(
                f"These problems keep the version that an author published: {', '.join(loaded.kept)}. "
                "To replace it with the package of the site: loadproblems --replace SLUG"
            )
        if faults := (*loaded.faults, *found.faults, *quiz_faults):
            raise CommandError(printable("\n".join(["Skipped invalid packages:", *faults])))
