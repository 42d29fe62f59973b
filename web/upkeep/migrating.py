"""Migrates a database while the site and the workers use it.

Theory of operation. Whatever changes a table needs its lock, if only for a millisecond. The request for it
queues behind whoever holds the table, and everybody else queues behind the request: one slow report, and the
site stands still. So a migration asks for LOCK_TIMEOUT_S at most. If it gets no lock it gives up, is rolled
back, and is tried again after a pause in which all who queued are served. Migrations that have been applied
stay so.

Only one process migrates: others wait for an advisory lock of the database and then find nothing to do, so
that several hosts may start at once. SQLite has one writer at a time anyway.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_TIMEOUT_S = 2
TRIES = 30
PAUSE_S = 2.0
_ADVISORY_LOCK = 0x77617270  # "warp": any number that nothing else here uses
_LOCK_NOT_AVAILABLE = "55P03"


def retry_on_lock(
    connection: BaseDatabaseWrapper,
    migrate: Callable[[], object],
    say: Callable[[str], object],
    *,
    pause_s: float = PAUSE_S,
) -> None:
    """Call `migrate`, alone, and again while the tables that it wants are in use.

    Raises:
        OperationalError: they were in use each of TRIES times, or something else is wrong.
    """
    with _alone(connection, say), _lock_timeout(connection):
        for left in reversed(range(TRIES)):
            try:
                migrate()
            except OperationalError as error:
                if not _in_use(error) or not left:
                    raise
                say(f"A table is in use; nothing was changed. Trying again in {pause_s:g} s.")
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
            say("Another process migrates this database; waiting until it is done.")
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
