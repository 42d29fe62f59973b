"""`manage.py importproblem`: create a version of a problem from a file or a folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from problems.archive import MAX_ARCHIVE_MIB, pack, unpack
from problems.contents import Contents, ContentsInvalid, read_folder
from problems.faults import PackageInvalid
from web.packages import services
from web.site.printable import printable


class Command(BaseCommand):
    help = (
        "Create a version of a problem from a ZIP file or a folder, and make it live. The command checks the "
        "package but does not prove it: run `prove` first. An identical version is not created twice."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="FILE", type=Path, help="a ZIP file, or a folder")
        parser.add_argument("--slug", default="", help="slug of the problem; default: the name of its folder")
        parser.add_argument("--note", default="", help="description of the changes")
        parser.add_argument("--keep-live", action="store_true", help="keep the current live version")

    def handle(self, *_: Any, **options: Any) -> None:
        make = services.freeze if options["keep_live"] else services.publish
        try:
            contents = _read(options["source"], options["slug"])
            version = make(contents.slug, pack(contents), None, options["note"])
        except (ContentsInvalid, PackageInvalid) as error:
            raise CommandError(printable(str(error))) from error
        except OSError as error:
            raise CommandError(f"Cannot read {options['source']}: {error.strerror}") from error
        self.stdout.write(f"{contents.slug}: version {version.number}, {version.content_hash}")


def _read(source: Path, slug: str) -> Contents:
    if source.is_dir():
        contents = read_folder(source.absolute())
        return Contents(slug or contents.slug, contents.files)
    with source.open("rb") as stream:
        return unpack(stream.read(MAX_ARCHIVE_MIB * 1024 * 1024 + 1), slug=slug)
