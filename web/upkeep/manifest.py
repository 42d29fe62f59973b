"""What a backup says that it holds, and what can be wrong with one.

BackupError
+-- ArchiveWrong     the file is no backup, or is damaged
+-- WouldOverwrite   something is there that would be overwritten, or is in use
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
    """Root of the reasons for which there is no backup or no restore. The message says what to do."""


class ArchiveWrong(BackupError):
    """Raised when a file is not a backup, was cut off, or is not what its manifest says."""


class WouldOverwrite(BackupError):
    """Raised when something is there that would be overwritten, or somebody uses it."""


class DoesNotFit(BackupError):
    """Raised when a backup is good, but not for this site."""


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
    """What a backup holds. `rows` counts by table, `migrations` are all that were applied, as `app.name`.

    `key_print` tells whether a secret key is the one of this backup. It does not tell the key.
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
        """Itself as the text of the member `manifest.json`."""
        return json.dumps(asdict(self) | {"made": self.made.isoformat()}, indent=1)

    @classmethod
    def from_json(cls, text: bytes) -> "Manifest":
        """The manifest that `text` says.

        Raises:
            ArchiveWrong: it is none.
        """
        try:
            said = json.loads(text)
            if said["format"] != FORMAT:
                raise ArchiveWrong(
                    f"The backup has format {said['format']!r}; this version reads {FORMAT}. "
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
            raise ArchiveWrong(f"Its {MANIFEST} cannot be read ({error}); take another backup.") from error

    def names(self) -> set[str]:
        """The members' names."""
        return {member.name for member in self.members}


def _member(entry: Mapping[str, Any]) -> Member:
    member = Member(**{field.name: entry[field.name] for field in fields(Member)})
    if not _PLAIN.fullmatch(member.name):
        raise ArchiveWrong(f"It names a file {member.name!r}, which no backup of ours does; do not use it.")
    return member
