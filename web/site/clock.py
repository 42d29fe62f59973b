"""The database's clock. All processes use it to compare times, because their own clocks may be wrong.

Theory of operation. One host writes leases and heartbeats, and another evaluates them. The clocks of hosts
differ: by milliseconds with NTP, by minutes without it. All hosts share the database. So times that several
processes compare are written and compared with `DatabaseNow`. It stands for the time at which the database
received the statement. On PostgreSQL that is not `NOW()`, the start of the transaction, which may be long
ago. It is not `CLOCK_TIMESTAMP()` either, which changes from row to row and so keeps the planner from using
an index.
"""

from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateTimeField, Func
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

# The percent signs are doubled twice: for the template, and for the parameters of the statement.
_SQLITE = "STRFTIME('%%%%Y-%%%%m-%%%%d %%%%H:%%%%M:%%%%f000', 'now')"


class DatabaseNow(Func):
    """The time of the database, for conditions and updates: `lease_until=DatabaseNow() + timedelta(...)`."""

    function = "STATEMENT_TIMESTAMP"
    arity = 0
    output_field = DateTimeField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra: Any
    ) -> tuple[str, Any]:
        """Return the SQL in Django's format of times in SQLite, in milliseconds, to compare as text."""
        return self.as_sql(compiler, connection, template=_SQLITE, **extra)


def read_clock() -> datetime:
    """Return the time in the database by a query. Conditions and updates use `DatabaseNow` instead."""
    query = Query(None)
    query.add_annotation(DatabaseNow(), "now")
    (now,) = next(iter(query.get_compiler(using=DEFAULT_DB_ALIAS).results_iter()))
    found: datetime = now
    return found
