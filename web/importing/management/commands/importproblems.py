"""`manage.py importproblems`: import a set of problems from this host."""

import json
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from judge.errors import JudgeError
from judge.proof.importing import FORMATS, import_set, open_workshop
from problems.importing.building import write_package
from problems.importing.report import Imported, ImportedProblem, ImportReport
from sandbox.backend import IsolationUnavailable
from web.accounts.models import User
from web.importing.persistence import persist
from web.site.judging import open_configured_backend
from web.site.printable import printable

EXIT_REFUSED = 1
EXIT_USAGE = 2
EXIT_INTERNAL = 3


class Command(BaseCommand):
    help = (
        "Import a set of problems in another format. Its Python code runs only in the oracle's sandbox. "
        "With --by, each problem becomes a workspace or a new revision of an existing workspace. "
        "With --into, the command writes packages to a folder. "
        "Exit status: 0 all imported, 1 some refused, 2 wrong usage, 3 this host cannot isolate programs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("format", choices=sorted(FORMATS), help="the format of the set")
        parser.add_argument("folder", type=Path, help="the folder of the set")
        target = parser.add_mutually_exclusive_group(required=True)
        target.add_argument("--by", metavar="USERNAME", help="owner of the workspaces")
        target.add_argument("--into", type=Path, metavar="FOLDER", help="write packages to this folder")
        parser.add_argument("--scale", action="store_true", help="enlarge timed cases below 1 MiB")
        parser.add_argument(
            "--zeroed", action="store_true", help="let all outputs start at zero, as some judges do"
        )
        parser.add_argument(
            "--jobs",
            type=int,
            metavar="N",
            help="problems to import at a time (default: one for each core, at most 8)",
        )
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        folder: Path = options["folder"].resolve()
        if not folder.is_dir():
            raise CommandError(f"{options['folder']} is not a directory", returncode=EXIT_USAGE)
        if options["jobs"] is not None and options["jobs"] < 1:
            raise CommandError("--jobs must be at least 1", returncode=EXIT_USAGE)
        owner = _owner(options["by"]) if options["by"] else None
        try:
            backend = open_configured_backend(settings.WARPCOURT)
            with (
                open_workshop(backend, scale=options["scale"], zeroed=options["zeroed"]) as workshop,
                closing(
                    import_set(
                        options["format"],
                        folder,
                        workshop,
                        on_problem=self._tell,
                        at_once=options["jobs"],
                    )
                ) as problems,
            ):
                entries = []
                for imported in problems:
                    entry = persist(owner, imported).entry if owner else _written(options["into"], imported)
                    entries.append(entry)
                    if not options["json"]:
                        self.stdout.write(printable(_shown(entry).as_text()))
        except (IsolationUnavailable, JudgeError) as error:
            raise CommandError(printable(str(error)), returncode=EXIT_INTERNAL) from error
        report = ImportReport(options["format"], tuple(entries))
        self.stdout.write(
            json.dumps(report.as_json(), indent=2)
            if options["json"]
            else printable(replace(report, entries=tuple(map(_shown, entries))).summary())
        )
        if any(entry.reason for entry in entries):
            sys.exit(EXIT_REFUSED)

    def _tell(self, number: int, total: int, place: str) -> None:
        progress = f"  {number}/{total} {printable(_line(place))} …"
        if self.stderr.isatty():
            self.stderr.write(f"\r\033[K{progress}", ending="")
        else:
            self.stderr.write(progress)


def _shown(entry: ImportedProblem) -> ImportedProblem:
    """Return the result with its place on one line. Names of folders may contain line breaks."""
    return replace(entry, place=_line(entry.place))


def _line(text: str) -> str:
    return " ".join(text.splitlines())


def _owner(username: str) -> User:
    found = User.objects.filter(username=username).first()
    if found is None:
        raise CommandError(f"User {username} not found", returncode=EXIT_USAGE)
    return found


def _written(folder: Path, imported: Imported) -> ImportedProblem:
    """Write a package. Refuse to overwrite an existing one, because a folder has no history."""
    entry = imported.entry
    if not imported.files:
        return entry
    if (folder / entry.slug).exists():
        reason = f"{folder / entry.slug} already exists. Move it away, or import to workspaces with --by."
        return ImportedProblem.refused(entry.place, entry.slug, reason)
    write_package(folder / entry.slug, imported.files)
    return entry
