"""A SQLite database that was migrated once, for every site and test process that begins with an empty one.

Theory of operation. Running all migrations takes longer than most tests, and several dozen sites would do it.
So they are run once into a file that is named by what they are, and whoever needs a database takes a copy.
The copy is migrated all the same, by whatever starts on it, and finds that nothing is left to do. Processes
that test side by side take turns by a lock. On PostgreSQL every site migrates for itself.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".cache" / "tests" / "databases"
NAME = "warpcourt.sqlite3"  # of the database in a site's data directory


def put_migrated_database(at: Path) -> None:
    """Put a database at `at` that has every migration, and no rows but theirs."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{_digest()}.sqlite3"
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            for old in KEPT.glob("*.sqlite3"):
                old.unlink()
            _migrate(kept)
        shutil.copy(kept, at)


def _digest() -> str:
    """Of all that migrations depend on: ours, and the versions of those that packages bring."""
    digest = hashlib.sha256((ROOT / "deploy" / "requirements" / "run.txt").read_bytes())
    for path in sorted((ROOT / "web").glob("*/migrations/*.py")):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _migrate(kept: Path) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("WARPCOURT_")}
    own.pop("DJANGO_SETTINGS_MODULE", None)
    with tempfile.TemporaryDirectory(dir=KEPT) as folder:
        argv = [sys.executable, "-W", "ignore", "manage.py", "migrate", "--noinput", "--verbosity", "0"]
        subprocess.run(argv, cwd=ROOT, env=own | {"WARPCOURT_DATA_DIR": folder}, check=True)
        whole = Path(folder, "whole")
        with closing(sqlite3.connect(Path(folder, NAME))) as database:
            database.execute("VACUUM INTO ?", (str(whole),))  # with what its log still holds
        whole.replace(kept)
