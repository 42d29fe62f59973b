"""`manage.py backup`: take a backup of the site while it is used."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from web.upkeep import kept, object_store
from web.upkeep.backup import take
from web.upkeep.manifest import BackupError


class Command(BaseCommand):
    help = (
        "Write database, problem packages, tracks and secret key to FILE while the site runs. Without FILE, "
        "the backup is a new file in WARPCOURT_BACKUP_DIR, and only the latest WARPCOURT_BACKUPS_KEPT stay "
        "there. --to copies the file to S3 as well. The file gives full access to the site: protect it, and "
        "keep a copy on another host."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a new file, such as site.zip")
        parser.add_argument("--overwrite", action="store_true", help="replace FILE if it exists")
        parser.add_argument(
            "--to",
            metavar="s3://BUCKET/FOLDER/",
            help="also copy the backup to S3; needs the packages of deploy/requirements/s3.txt",
        )
        parser.add_argument("--without-key", action="store_true", help="omit the secret key")

    def handle(self, *_: Any, **options: Any) -> None:
        config = settings.WARPCOURT
        path: Path = options["file"] or config.backup_dir / kept.name_of(timezone.now())
        try:
            target = object_store.Location.parse(options["to"]) if options["to"] else None
            taken = take(
                path.absolute(),
                overwrite=options["overwrite"],
                with_key=not options["without_key"],
                say=self.stderr.write,
            )
        except BackupError as trouble:
            raise CommandError(str(trouble)) from trouble
        rows, mib = sum(taken.manifest.rows.values()), taken.size_bytes / (1 << 20)
        self.stdout.write(f"{taken.path}: {rows} rows, {mib:.1f} MiB, {taken.took_s:.1f} s")
        if options["file"] is None:
            for gone in kept.rotate(config.backup_dir, keep=config.backups_kept):
                self.stderr.write(f"Deleted {gone.name}")
        if target is not None:
            try:
                copy = object_store.upload(taken.path, target)
            except BackupError as trouble:
                raise CommandError(f"{taken.path} is complete, but has no copy in S3. {trouble}") from trouble
            self.stdout.write(f"Copied to {copy}")
