"""Dumps and loads PostgreSQL with its own programs, while the site uses it.

Theory of operation. `pg_dump` reads a snapshot that this process exports. The rows are counted in the same
snapshot, so a restore can compare the counts. To load a dump, `pg_restore` turns it into statements and
`psql` runs them in one transaction, after statements that drop the existing tables. If the dump ends early,
`psql` is killed before it can commit. Drops wait LOCK_TIMEOUT_S for other users of a table.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO, Any, ClassVar

from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from web.upkeep.archive import CHUNK_BYTES
from web.upkeep.dump import Dump, DumpContent
from web.upkeep.manifest import ToolFailed

APPLICATION = "warpcourt"  # the application name of the connections of the site and the workers
LOCK_TIMEOUT_S = 10
_GONE_S = 2.0
_PIPE = subprocess.PIPE
_COUNT_USERS = f"""
SELECT COUNT(*) FROM pg_stat_activity
 WHERE datname = CURRENT_DATABASE() AND application_name = '{APPLICATION}'
"""  # noqa: S608 - a constant


class PostgreSQL:
    """The database of `connection`. Its tables are the tables of the current schema."""

    kind: ClassVar[str] = "postgresql"
    member: ClassVar[str] = "database.pgdump"

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection
        argv, secrets = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
        *self._where, self._name = argv[1:]
        self._environment = {**os.environ, "PGAPPNAME": f"{APPLICATION}-backup", **(secrets or {})}

    @contextmanager
    def dumping(self, folder: Path) -> Iterator[Dump]:  # noqa: ARG002 - it needs no room
        """A dump of the database at the start of the block."""
        try:
            with transaction.atomic(using=self._connection.alias), self._connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                cursor.execute("SELECT PG_EXPORT_SNAPSHOT(), CURRENT_SCHEMA()")
                snapshot, schema = cursor.fetchone()
                content = self._content(cursor)
                argv = ["pg_dump", *self._where, "--format=custom", "--no-owner", "--no-privileges"]
                # Dump tables instead of the schema, because the target of a restore already has a schema of
                # this name.
                argv += [f"--snapshot={snapshot}", f'--table="{schema}".*', self._name]
                yield Dump(content, self._output(argv), packed=True)
        except DatabaseError as error:
            raise ToolFailed(f"The database does not respond: {error}") from error

    def content(self) -> DumpContent:
        """The current contents."""
        with self._connection.cursor() as cursor:
            return self._content(cursor)

    def users(self) -> int:
        """The number of connections of the site and the workers, without those of this process."""
        deadline = time.monotonic() + _GONE_S
        while (found := self._count_users()) and time.monotonic() < deadline:
            # This process has just closed its connections, and PostgreSQL may not have noticed.
            time.sleep(0.1)
        return found

    def load(self, chunks: Iterable[bytes]) -> None:
        """Drop all tables and load the dump."""
        with self._connection.cursor() as cursor:
            names = self._connection.introspection.table_names(cursor)
        drop = f"DROP TABLE {', '.join(map(self._connection.ops.quote_name, names))} CASCADE" if names else ""
        self._leave()
        psql = [
            *("psql", *self._where, "-d", self._name, "-X", "-q", "-o", os.devnull),
            *("-v", "ON_ERROR_STOP=1", "--single-transaction"),
            *("-c", f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'"),
            *(("-c", drop) if drop else ()),
            *("-f", "-"),
        ]
        restore = ["pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "-f", "-"]
        with (
            tempfile.TemporaryFile() as said,
            self._start(psql, stdin=_PIPE, stderr=said) as target,
        ):
            assert target.stdin is not None  # noqa: S101 - it is a pipe
            try:
                for statements in self._output(restore, chunks):
                    target.stdin.write(statements)
                target.stdin.close()
            except BrokenPipeError:
                pass  # psql says why it ended
            except BaseException:
                target.kill()  # otherwise it would commit the part that it has received
                raise
            if target.wait():
                raise ToolFailed(f"{_last_words(said)} Nothing was changed.")

    def _count_users(self) -> int:
        self._leave()
        psql = ["psql", *self._where, "-d", self._name, "-X", "-A", "-t", "-c", _COUNT_USERS]
        return int(b"".join(self._output(psql)))

    def _leave(self) -> None:
        """Close the connections of this process, including pooled ones."""
        connections.close_all()
        with suppress(AttributeError):
            self._connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's has it

    def _content(self, cursor: CursorWrapper) -> DumpContent:
        names = sorted(self._connection.introspection.table_names(cursor))
        rows = {}
        for name in names:
            cursor.execute(f"SELECT COUNT(*) FROM {self._connection.ops.quote_name(name)}")  # noqa: S608 - quoted
            (rows[name],) = cursor.fetchone()
        applied: list[tuple[str, str]] = []
        if "django_migrations" in rows:
            cursor.execute("SELECT app, name FROM django_migrations")
            applied = cursor.fetchall()
        return DumpContent(tuple(sorted(f"{app}.{name}" for app, name in applied)), rows)

    def _output(self, argv: list[str], chunks: Iterable[bytes] = ()) -> Iterator[bytes]:
        """The output of a program with `chunks` as its input.

        Raises:
            ToolFailed: the program is missing or fails.
        """
        with tempfile.TemporaryFile() as said:
            process = self._start(argv, stdin=_PIPE, stdout=_PIPE, stderr=said)
            with process:
                assert process.stdout is not None  # noqa: S101 - it is a pipe
                feeder = Thread(target=_feed, args=(process.stdin, chunks), daemon=True)
                feeder.start()
                try:
                    while piece := process.stdout.read(CHUNK_BYTES):
                        yield piece
                except BaseException:
                    process.kill()
                    raise
                feeder.join()
            if process.returncode:
                raise ToolFailed(_last_words(said))

    def _start(self, argv: list[str], **streams: Any) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(argv, env=self._environment, **streams)
        except FileNotFoundError as error:
            raise ToolFailed(
                f"{argv[0]} is missing. Install PostgreSQL's client programs, at least as new as the server: "
                "apt-get install postgresql-client"
            ) from error


def _feed(stream: IO[bytes], chunks: Iterable[bytes]) -> None:
    with suppress(BrokenPipeError), stream:  # a program that stopped reading has printed the reason
        for chunk in chunks:
            stream.write(chunk)


def _last_words(said: IO[bytes]) -> str:
    said.seek(0)
    lines = said.read().decode(errors="replace").strip().splitlines()
    text = " ".join(line.strip() for line in lines[:3]) or "It printed no error."
    return f"A PostgreSQL program failed: {text}"
