"""A separate site that a test fills, backs up and restores: a folder and a database."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import psycopg

ROOT = Path(__file__).resolve().parents[3]
_BEGIN = "import os, django\nos.environ['DJANGO_SETTINGS_MODULE'] = 'web.settings'\ndjango.setup()\n"


@dataclass(frozen=True)
class Site:
    """Runs programs of a site with data in `folder` and `database_url`."""

    folder: Path
    database_url: str = ""

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "WARPCOURT_DATA_DIR": str(self.folder),
            "WARPCOURT_DATABASE_URL": self.database_url,
            "WARPCOURT_TARGET": "scripted",
            "WARPCOURT_SUBMITS_PER_MINUTE": "100000",
            "WARPCOURT_SUBMITS_PER_DAY": "100000",
            "WARPCOURT_LOG_LEVEL": "WARNING",
            "WARPCOURT_BACKUP_DIR": str(self.folder / "backups"),
        }

    def manage(
        self, *arguments: object, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `manage.py` with these arguments and additional variables, and return the completed process."""
        argv = [sys.executable, "manage.py", *map(str, arguments)]
        return self._run(argv, environment)

    def managed(self, *arguments: object, environment: Mapping[str, str] | None = None) -> str:
        """Run `manage.py` with these arguments, and return its output. Fail if it fails."""
        done = self.manage(*arguments, environment=environment)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def python(self, program: str, *arguments: object) -> Any:
        """Run a program in a new process with Django, and return the JSON that it printed."""
        done = self._run([sys.executable, "-c", _BEGIN + program, *map(str, arguments)])
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout.splitlines()[-1])

    def start(self, program: str, *arguments: object, **streams: Any) -> subprocess.Popen[str]:
        """Start a program with Django set up. The test reads its lines and stops it."""
        return self._start([sys.executable, "-c", _BEGIN + program, *map(str, arguments)], **streams)

    def _start(self, argv: list[str], **streams: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            argv, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, text=True, **streams
        )

    def _run(
        self, argv: list[str], more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            cwd=ROOT,
            env=self.environment | dict(more or {}),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )


class NewSite(Protocol):
    """Creates a site without content."""

    def __call__(self, *, migrated: bool = False) -> Site: ...


@contextmanager
def new_database(server_url: str, name: str, *, migrated: bool) -> Iterator[str]:
    """Yield a new database, and remove it afterwards.

    It is empty or a copy of the migrated one at `server_url`.
    """
    template = urlsplit(server_url).path.removeprefix("/") if migrated else "template1"
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
