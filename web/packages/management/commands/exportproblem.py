"""`manage.py exportproblem`: write a version of a problem to a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from problems.archive import SUFFIX
from web.packages import queries


class Command(BaseCommand):
    help = (
        "Write the folder of a problem to a ZIP file, including the files that learners cannot see. "
        "importproblem takes it on this site or another."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument(
            "file", metavar="FILE", nargs="?", type=Path, help="default: SLUG-NUMBER.zip in this directory"
        )
        parser.add_argument("--number", type=int, help="number of the version; default: the live version")
        parser.add_argument("--overwrite", action="store_true", help="replace FILE if it exists")

    def handle(self, *_: Any, **options: Any) -> None:
        slug, number = options["slug"], options["number"]
        version = queries.find_version(slug, number) if number else queries.live_version(slug)
        if version is None:
            raise CommandError(
                f"{f'Version {number} of {slug}' if number else f'A live version of {slug}'} was not found. "
                f"Run loadproblems, or see /problems/{slug} for its versions."
            )
        path: Path = options["file"] or Path(f"{slug}-{version.number}{SUFFIX}")
        try:
            with path.open("wb" if options["overwrite"] else "xb") as stream:
                stream.write(queries.read_archive(version))
        except FileExistsError as error:
            raise CommandError(
                f"{path} exists. Choose another name, or replace it with --overwrite."
            ) from error
        except OSError as error:
            raise CommandError(f"Cannot write {path}: {error.strerror}") from error
        self.stdout.write(f"{path}: version {version.number} of {slug}, {version.content_hash}")
