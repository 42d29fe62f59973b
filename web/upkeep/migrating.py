"""Migrates a database while the site and the workers use it.

Theory of operation. A change of a table needs the table's lock, if only for a millisecond. The request waits
for the queries that use the table, and all later queries wait for the request: one slow query would stop the
site. A migration therefore waits LOCK_TIMEOUT_S at most. Without the lock, it is rolled back and retried
after a pause, in which the waiting queries run. Migrations that have been applied stay applied.

Only one process migrates. Others wait for an advisory lock of the database and then have nothing to do, so
several hosts may start at once. SQLite has one writer at a time anyway.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_TIMEOUT_S = 2
TRIES = 30
PAUSE_S = 2.0
_ADVISORY_LOCK = 0x77617270  # "warp"; any number works that no other lock in this database uses
_LOCK_NOT_AVAILABLE = "55P03"


def retry_on_lock(
    connection: BaseDatabaseWrapper,
    migrate: Callable[[], object],
    say: Callable[[str], object],
    *,
    pause_s: float = PAUSE_S,
) -> None:
    """Call `migrate` in one process at a time, and retry while its tables are in use.

    Raises:
        OperationalError: the tables were in use in all TRIES tries, or the migration failed.
    """
    with _alone(connection, say), _lock_timeout(connection):
        for left in reversed(range(TRIES)):
            try:
                migrate()
            except OperationalError as error:
                if not _in_use(error) or not left:
                    raise
                say(f"A table is in use. Nothing was changed. Retrying in {pause_s:g} s.")
                time.sleep(pause_s)
            else:
                return


def _in_use(error: OperationalError) -> bool:
    return getattr(error.__cause__, "sqlstate", None) == _LOCK_NOT_AVAILABLE or "locked" in str(error)


@contextmanager
def _alone(connection: BaseDatabaseWrapper, say: Callable[[str], object]) -> Iterator[None]:
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT PG_TRY_ADVISORY_LOCK(%s)", [_ADVISORY_LOCK])
        if not cursor.fetchone()[0]:
            say("Another process is migrating this database. Waiting for it to finish.")
            cursor.execute("SELECT PG_ADVISORY_LOCK(%s)", [_ADVISORY_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT PG_ADVISORY_UNLOCK(%s)", [_ADVISORY_LOCK])


@contextmanager
def _lock_timeout(connection: BaseDatabaseWrapper) -> Iterator[None]:
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LOCK_TIMEOUT_S}s'")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
