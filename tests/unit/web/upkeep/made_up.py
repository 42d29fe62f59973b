"""Fake backups, and a fake database that records the calls."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings

from web.upkeep.archive import Writer, writing
from web.upkeep.backup import key_print
from web.upkeep.dump import Dump, DumpContent
from web.upkeep.manifest import KEY, Manifest

ROWS = {"accounts_user": 3, "submissions_submission": 7}


def manifest_of(writer: Writer, **changes: Any) -> Manifest:
    """Return the manifest of a backup with three users."""
    made = Manifest(
        format=1,
        made=datetime(2026, 11, 21, 12, tzinfo=UTC),
        version="0.1.0",
        database="sqlite",
        migrations=("accounts.0001_initial",),
        rows=ROWS,
        key_print=key_print(settings.SECRET_KEY),
        members=tuple(writer.members),
    )
    return replace(made, **changes)


def made_up(
    path: Path,
    *,
    key: str | None = None,
    problems: Mapping[str, str] | None = None,
    with_key: bool = True,
    **changes: Any,
) -> Path:
    """Write a backup with an invalid database, for a site with `key`, by default that of the tests."""
    key = key or settings.SECRET_KEY
    with writing(path) as writer:
        writer.add("database.sqlite3", [b"ro", b"ws"])
        for name, text in (problems or {}).items():
            writer.add(f"problems/{name}", [text.encode()])
        if with_key:
            writer.add(KEY, [key.encode()])
        writer.close(manifest_of(writer, key_print=key_print(key), **changes))
    return path


@dataclass
class Noted:
    """A database that contains `rows`, and records what is loaded."""

    rows: Mapping[str, int] = field(default_factory=dict)
    connected: int = 0
    loaded: bytes | None = None
    kind: ClassVar[str] = "sqlite"
    member: ClassVar[str] = "database.sqlite3"

    def dumping(self, folder: Path) -> AbstractContextManager[Dump]:
        raise NotImplementedError

    def content(self) -> DumpContent:
        return DumpContent((), self.rows)

    def users(self) -> int:
        return self.connected

    def load(self, chunks: Iterable[bytes]) -> None:
        self.loaded = b"".join(chunks)
        self.rows = ROWS
