"""Dumps and loads SQLite with its backup API, while the site uses it."""

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

from django.db import connections

from web.upkeep.archive import CHUNK_BYTES
from web.upkeep.dump import Dump, DumpContent
from web.upkeep.manifest import ToolFailed

_BUSY_S = 20.0


class SQLite:
    """A database in the file `path`."""

    kind: ClassVar[str] = "sqlite"
    member: ClassVar[str] = "database.sqlite3"

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def dumping(self, folder: Path) -> Iterator[Dump]:
        """A consistent copy, made in one step: between steps, each write would restart the copy."""
        with tempfile.TemporaryDirectory(prefix=".backup-", dir=folder) as place:
            copy = Path(place, self.member)
            try:
                with closing(self._connect()) as source, closing(sqlite3.connect(copy)) as target:
                    source.backup(target)
                    # The copy has one reader, so it needs no write-ahead log.
                    target.execute("PRAGMA journal_mode=DELETE")
                    content = _content(target)
            except sqlite3.Error as error:
                raise ToolFailed(f"SQLite cannot copy {self.path}: {error}.") from error
            yield Dump(content, _read(copy), packed=False)

    def content(self) -> DumpContent:
        """The current contents of the file."""
        if not self.path.exists():
            return DumpContent((), {})
        with closing(self._connect()) as source:
            return _content(source)

    def users(self) -> int:
        """Always 0, because the site closes its connections after each request."""
        return 0

    def load(self, chunks: Iterable[bytes]) -> None:
        """Copy a dump over the file in one transaction, so that open connections see the new contents."""
        connections.close_all()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".restore-", dir=self.path.parent) as place:
            copy = Path(place, self.member)
            with copy.open("wb") as stream:
                stream.writelines(chunks)
            try:
                with closing(sqlite3.connect(copy)) as source, closing(self._connect()) as target:
                    (found,) = source.execute("PRAGMA integrity_check(1)").fetchone()
                    if found != "ok":
                        raise ToolFailed(f"The dump is not sound ({found}); take another backup.")
                    source.backup(target)
            except sqlite3.Error as error:
                raise ToolFailed(f"SQLite cannot restore {self.path}: {error}. It is as it was.") from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=_BUSY_S)


def _content(database: sqlite3.Connection) -> DumpContent:
    found = database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    rows = {
        table: database.execute(f'SELECT COUNT(*) FROM "{table}"').fetchone()[0]  # noqa: S608 - a name of ours
        for (table,) in sorted(found)
    }
    applied = (
        database.execute("SELECT app, name FROM django_migrations") if "django_migrations" in rows else ()
    )
    return DumpContent(tuple(sorted(f"{app}.{name}" for app, name in applied)), rows)


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk
