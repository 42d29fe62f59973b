"""`manage.py restore`: bring the site back from a backup, or look whether one is sound."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from web.upkeep.manifest import BackupError, Manifest
from web.upkeep.restore import Choices, check, restore


class Command(BaseCommand):
    help = (
        "Make this site what it was when FILE was taken. Stop web servers, workers and node services first. "
        "The database must be empty, and problem packages that are there the same as in FILE, unless "
        "--replace is given."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="what `backup` wrote")
        parser.add_argument("--check", action="store_true", help="only read all of FILE, and say what it is")
        parser.add_argument("--replace", action="store_true", help="overwrite what is there; it is lost")
        parser.add_argument(
            "--keep-key", action="store_true", help="keep this site's key, though the backup has another one"
        )
        parser.add_argument("--without-problems", action="store_true", help="leave the packages as they are")

    def handle(self, *_: Any, **options: Any) -> None:
        path = options["file"].absolute()
        choices = Choices(
            replace=options["replace"],
            keep_key=options["keep_key"],
            without_problems=options["without_problems"],
        )
        try:
            manifest = check(path) if options["check"] else restore(path, choices, self.stderr.write)
        except BackupError as trouble:
            raise CommandError(str(trouble)) from trouble
        except DatabaseError as error:
            raise CommandError(f"The database does not answer: {error}") from error
        self.stdout.write(("Sound: " if options["check"] else "Restored: ") + describe(manifest))


def describe(manifest: Manifest) -> str:
    """What a backup holds, in a sentence."""
    rows = manifest.rows
    return (
        f"{manifest.database}, taken {manifest.made:%Y-%m-%d %H:%M:%S} UTC by version {manifest.version}: "
        f"{rows.get('accounts_user', 0)} accounts, {rows.get('submissions_submission', 0)} submissions, "
        f"{sum(rows.values())} rows in all"
    )
