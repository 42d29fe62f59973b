"""The manifest of a backup, and the errors of backups.

BackupError
+-- ArchiveWrong     the file is not a backup, or is damaged
+-- WouldOverwrite         existing data would be overwritten, or is in use
+-- DoesNotFit       a good backup, but not for this site
+-- ToolFailed       a program or the disk failed
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

FORMAT = 1
MANIFEST = "manifest.json"
KEY = "secret-key"
PROBLEMS = "problems/"
# Relative, and no part of it is `.` or `..`.
_PLAIN = re.compile(r"(?!/)(?:(?!\.{1,2}(?:/|$))[^/\\\0]+(?:/|$))+(?<!/)")


class BackupError(Exception):
    """Base class of errors of backup and restore. The message says what to do."""


class ArchiveWrong(BackupError):
    """Raised when a file is not a backup, is truncated, or differs from its manifest."""


class WouldOverwrite(BackupError):
    """Raised when existing data would be overwritten, or is in use."""


class DoesNotFit(BackupError):
    """Raised when a backup is valid but does not fit this site."""


class ToolFailed(BackupError):
    """Raised when PostgreSQL's programs or the disk fail."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a backup."""

    name: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a backup. `rows` counts by table, `migrations` lists all applied ones as `app.name`.

    `key_print` identifies the secret key of the backup without revealing it.
    """

    format: int
    made: datetime
    version: str
    database: str
    migrations: tuple[str, ...]
    rows: Mapping[str, int]
    key_print: str
    members: tuple[Member, ...]

    def to_json(self) -> str:
        """The text of the member `manifest.json`."""
        return json.dumps(asdict(self) | {"made": self.made.isoformat()}, indent=1)

    @classmethod
    def from_json(cls, text: bytes) -> "Manifest":
        """Parse a manifest.

        Raises:
            ArchiveWrong: `text` is not a manifest.
        """
        try:
            said = json.loads(text)
            if said["format"] != FORMAT:
                raise ArchiveWrong(
                    f"The backup has format {said['format']!r}, but this version reads only {FORMAT}. "
                    "Restore it with the version of Warpcourt that made it."
                )
            return cls(
                format=FORMAT,
                made=datetime.fromisoformat(said["made"]),
                version=str(said["version"]),
                database=str(said["database"]),
                migrations=tuple(str(name) for name in said["migrations"]),
                rows={str(table): int(count) for table, count in said["rows"].items()},
                key_print=str(said["key_print"]),
                members=tuple(_member(entry) for entry in said["members"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ArchiveWrong(
                f"The backup's {MANIFEST} is not readable ({error}). Take another backup."
            ) from error

    def names(self) -> set[str]:
        """The members' names."""
        return {member.name for member in self.members}


def _member(entry: Mapping[str, Any]) -> Member:
    member = Member(**{field.name: entry[field.name] for field in fields(Member)})
    if not _PLAIN.fullmatch(member.name):
        raise ArchiveWrong(
            f"The backup contains {member.name!r}, which does not belong in a backup. Do not use it."
        )
    return member
