"""Databases that are migrated once, for all sites and test processes that begin with an empty database.

Theory of operation. Running all migrations takes longer than most tests, and several dozen sites would need
it. So the migrations run once into an SQLite file and once into a data directory of PostgreSQL. The names of
both contain a hash of their dependencies, and each site starts on a copy. The site migrates the copy like any
other database, and finds nothing to do. Parallel test processes take turns by a lock.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from testing.services import postgresql, postgresql_programs, unprivileged

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".cache" / "tests" / "databases"
NAME = "warpcourt.sqlite3"  # name of the database in a site's data directory


def put_migrated_database(at: Path) -> None:
    """Put a fully migrated database at `at`, with only the rows of the migrations."""
    with _locked():
        kept = _kept("sqlite3")
        if not kept.exists():
            _migrate(kept)
        shutil.copy(kept, at)


def put_migrated_postgresql(at: Path) -> None:
    """Put a data directory of PostgreSQL at `at`, with such a database named `warpcourt`."""
    with _locked():
        kept = _kept("postgresql")
        if not kept.exists():
            _migrate_postgresql(kept)
        subprocess.run(["cp", "-a", str(kept), str(at)], check=True)
    become = unprivileged()
    if become:
        subprocess.run(["chown", "-R", f"{become['user']}:{become['group']}", str(at)], check=True)


@contextmanager
def _locked() -> Iterator[None]:
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _kept(kind: str) -> Path:
    """Return the path of the database of this kind. Databases of other migrations are removed."""
    kept = KEPT / f"{_digest()}.{kind}"
    for old in KEPT.glob(f"*.{kind}"):
        if old != kept:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    return kept


def _digest() -> str:
    """Return a hash over our migrations, the versions of packages with migrations, and that of PostgreSQL."""
    digest = hashlib.sha256((ROOT / "deploy" / "requirements" / "run.txt").read_bytes())
    digest.update(f"{postgresql_programs()}\n".encode())
    for path in sorted((ROOT / "web").glob("*/migrations/*.py")):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _migrate(kept: Path) -> None:
    with tempfile.TemporaryDirectory(dir=KEPT) as folder:
        _run_migrations(WARPCOURT_DATA_DIR=folder)
        whole = Path(folder, "whole")
        with closing(sqlite3.connect(Path(folder, NAME))) as database:
            database.execute("VACUUM INTO ?", (str(whole),))  # including the contents of its write-ahead log
        whole.replace(kept)


def _migrate_postgresql(kept: Path) -> None:
    with tempfile.TemporaryDirectory(dir=KEPT) as folder:
        whole = Path(folder, "whole")
        with postgresql(keep=whole) as url:
            _run_migrations(WARPCOURT_DATA_DIR=folder, WARPCOURT_DATABASE_URL=url)
        whole.replace(kept)


def _run_migrations(**environment: str) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("WARPCOURT_")}
    own.pop("DJANGO_SETTINGS_MODULE", None)
    argv = [sys.executable, "-W", "ignore", "manage.py", "migrate", "--noinput", "--verbosity", "0"]
    subprocess.run(argv, cwd=ROOT, env=own | environment, check=True)
