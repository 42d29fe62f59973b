"""Restores the rows of a running site to their initial state.

Theory of operation. Starting a site takes seconds of processor time, so one site serves many test files, and
no file may see the rows of another. While the site runs, one transaction deletes all rows and writes the
initial rows back. SQLite does not reuse keys, because it counts them per table. So data about a row that the
site caches for a few seconds stays correct. This module waits for running jobs, because their workers would
write the results afterwards.
"""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

_END_S = 30.0
_MIGRATIONS = "django_migrations"
# Rows that the running worker wrote about itself and its host, as conditions. They stay unchanged.
_OF_WORKER = {
    "fleet_worker": "TRUE",
    "fleet_node": "id IN (SELECT node_id FROM main.fleet_worker WHERE node_id IS NOT NULL)",
}
_KEYS = "sqlite_sequence"


def keep_rows(database: Path, kept: Path) -> None:
    """Copy the rows of the SQLite file `database` to a new file `kept`."""
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(kept)) as target:
        source.backup(target)


def put_rows_back(database: Path, kept: Path) -> None:
    """Replace all rows of `database`, which is in use, by the rows of `kept`."""
    deadline = time.monotonic() + _END_S
    with closing(sqlite3.connect(database, timeout=_END_S, isolation_level=None)) as site:
        site.execute("ATTACH ? AS kept", (str(kept),))
        tables = [name for name, _ in _tables(site) if name != _MIGRATIONS]
        leased = [name for name, made in _tables(site) if "lease_until" in made]
        while True:
            site.execute("BEGIN IMMEDIATE")
            if time.monotonic() > deadline or not any(_count(site, name) for name in leased):
                break
            site.execute("ROLLBACK")
            time.sleep(0.1)
        for name in tables:
            site.execute(f'DELETE FROM main."{name}" WHERE NOT ({_OF_WORKER.get(name, "FALSE")})')
            if name not in _OF_WORKER:
                site.execute(f'INSERT INTO main."{name}" SELECT * FROM kept."{name}"')
        site.execute("COMMIT")


def _tables(site: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the name of each table, and the statement that creates it."""
    found = site.execute("SELECT name, sql FROM main.sqlite_master WHERE type = 'table'")
    return [(name, made) for name, made in found if name != _KEYS]


def _count(site: sqlite3.Connection, table: str) -> int:
    """Return the number of jobs in `table` that a worker holds."""
    (number,) = site.execute(f"SELECT count(*) FROM main.\"{table}\" WHERE state = 'leased'").fetchone()
    return int(number)
