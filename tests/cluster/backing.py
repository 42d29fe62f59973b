"""PostgreSQL and Redis on the hub, as an administrator would start and stop them."""

import contextlib
import os
import shutil
import signal
from pathlib import Path

import psycopg
import redis

from testing.services import need, postgresql_programs, unprivileged, wait_until
from tests.cluster.hosts import Hub, Program
from tests.migrated import put_migrated_postgresql

_POSTGRES_PORT = 5432
_REDIS_PORT = 6379


class Postgres:
    """The database server. Its data survive `stop`, even a sudden one."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        programs = postgresql_programs()
        need(programs is not None, "PostgreSQL", "apt-get install postgresql")
        self._hub, self._programs, self._folder = hub, programs, folder
        self._become = unprivileged()
        self._server: Program | None = None
        folder.mkdir()
        os.chown(folder, self._become.get("user", -1), self._become.get("group", -1))
        put_migrated_postgresql(folder / "data")
        # Any host of this network may connect, because only the cluster uses the network.
        with (folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 10.77.0.0/24 trust\n")
        self.start()

    def url(self, host: str) -> str:
        """Return the database's address for the application, at the address `host`."""
        return f"postgres://warpcourt@{host}:{_POSTGRES_PORT}/warpcourt"

    def connect(self) -> psycopg.Connection:
        """Return a separate connection for the test."""
        return psycopg.connect(self._address("warpcourt"), autocommit=True)

    @property
    def running(self) -> bool:
        """Return whether it is running."""
        return self._server is not None and self._server.running

    def start(self) -> None:
        """Start it and wait until it answers."""
        become = f"--reuid={self._become['user']} --regid={self._become['group']} --clear-groups"
        serve = f"{self._programs}/postgres -D {self._folder}/data -h * -k {self._folder} -F"
        # From a process table that no longer exists.
        (self._folder / "data" / "postmaster.pid").unlink(missing_ok=True)
        self._server = self._hub.start(
            "setpriv",
            *become.split(),
            *serve.split(),
            "-c",
            "max_connections=200",
            environment={"PATH": os.environ["PATH"]},
        )
        wait_until(self._answers, "PostgreSQL's start")

    def stop(self, *, suddenly: bool = False) -> None:
        """Stop the server.

        It closes connections and rolls back their transactions. `suddenly` stops it like a crash.
        """
        if self._server is not None:
            self._server.signal(signal.SIGQUIT if suddenly else signal.SIGINT)
            self._server.wait()

    def _answers(self) -> bool:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(self._address("postgres")).close()
            return True
        return False

    def _address(self, database: str) -> str:
        return f"host={self._folder} port={_POSTGRES_PORT} user=warpcourt dbname={database}"


class Redis:
    """The broker. It stores nothing on disk: when it stops, all messages are lost."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        program = shutil.which("redis-server")
        need(program is not None, "Redis", "apt-get install redis-server")
        self._hub, self._program, self._socket = hub, str(program), folder / "redis.sock"
        folder.mkdir()
        self._server: Program | None = None
        self.client = redis.Redis(unix_socket_path=str(self._socket))
        self.start()

    def url(self, host: str) -> str:
        """Return the broker's address for the application, at the address `host`."""
        return f"redis://{host}:{_REDIS_PORT}/0"

    @property
    def running(self) -> bool:
        """Return whether it is running."""
        return self._server is not None and self._server.running

    def start(self) -> None:
        """Start it and wait until it answers."""
        serve = f"{self._program} --port {_REDIS_PORT} --bind * --protected-mode no"
        files = f"--unixsocket {self._socket} --dir {self._socket.parent}"
        argv = [*serve.split(), *files.split(), "--save", ""]
        self._server = self._hub.start(*argv, environment={"PATH": os.environ["PATH"]})
        wait_until(self._answers, "Redis's start")

    def stop(self) -> None:
        """Kill it."""
        if self._server is not None:
            self._server.kill()

    def flush(self) -> None:
        """Delete every message."""
        self.client.flushall()

    def _answers(self) -> bool:
        with contextlib.suppress(redis.ConnectionError):
            return bool(self.client.ping())
        return False
