"""`manage.py restore`: restore the site from a backup, or check a backup."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from web.upkeep import object_store
from web.upkeep.manifest import BackupError, Manifest
from web.upkeep.restore import Choices, check, restore


class Command(BaseCommand):
    help = (
        "Restore this site from the backup FILE. Stop web servers, workers and node services first. "
        "Without --replace, the database must be empty and existing problem packages must be the same as "
        "in FILE."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            metavar="FILE",
            help="a file that `backup` wrote, or s3://BUCKET/KEY; s3://BUCKET/FOLDER/ takes the latest there",
        )
        parser.add_argument("--check", action="store_true", help="only check FILE and describe it")
        parser.add_argument(
            "--replace", action="store_true", help="overwrite the existing data, which is lost"
        )
        parser.add_argument(
            "--keep-key",
            action="store_true",
            help="keep this site's secret key even if the backup has another key",
        )
        parser.add_argument(
            "--without-problems", action="store_true", help="keep the existing problem packages"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        choices = Choices(
            replace=options["replace"],
            keep_key=options["keep_key"],
            without_problems=options["without_problems"],
        )
        try:
            with _local(options["file"]) as path:
                manifest = check(path) if options["check"] else restore(path, choices, self.stderr.write)
        except BackupError as trouble:
            raise CommandError(str(trouble)) from trouble
        except DatabaseError as error:
            raise CommandError(f"The database does not respond: {error}") from error
        self.stdout.write(("Valid: " if options["check"] else "Restored: ") + describe(manifest))


@contextmanager
def _local(file: str) -> Iterator[Path]:
    if not file.startswith(object_store.SCHEME):
        yield Path(file).absolute()
        return
    with object_store.downloaded(object_store.Location.parse(file), settings.WARPCOURT.backup_dir) as path:
        yield path


def describe(manifest: Manifest) -> str:
    """A summary of a backup."""
    rows = manifest.rows
    return (
        f"{manifest.database}, made {manifest.made:%Y-%m-%d %H:%M:%S} UTC by version {manifest.version}: "
        f"{rows.get('accounts_user', 0)} accounts, {rows.get('submissions_submission', 0)} submissions, "
        f"{sum(rows.values())} rows in total"
    )
