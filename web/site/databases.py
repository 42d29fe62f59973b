"""Connections to the database, and the timeouts after which either side detects that the other is gone.

Theory of operation. A lost packet causes no error. Without limits a client waits for minutes for an answer
that never comes, and a server keeps the locks of a cut-off or stopped client for hours. All waiting here is
shorter than a lease. A client gives up on a connection that takes longer than CONNECT_S, or on which nothing
is acknowledged for SILENT_S. The server is asked to do the same with its clients, and to end a transaction in
which its client does nothing. So a worker that is paused while it records a verdict blocks no other process
for longer than its lease. A pool checks that a connection is alive before it returns it.

SQLite has no such timeouts and hardly needs them: all its processes are on one host, and the lock of a
process disappears when the process dies. SQLite has one writer at a time. A transaction that will write takes
the lock at its start, so that it waits for its turn instead of failing half-way. WAL lets readers continue
during a write.
"""

from typing import Any

import dj_database_url
from django.db import InterfaceError, OperationalError

from web.config import Config

# The exceptions if the database does not answer, in contrast to refusing a statement.
DATABASE_AWAY = (OperationalError, InterfaceError)
CONNECT_S = 5
SILENT_S = 10
IDLE_IN_TRANSACTION_S = 10
_POOL = {
    "min_size": 1,
    "max_size": 20,
    # After this time, a page reports that the database is down, instead of waiting.
    "timeout": 4,
    # After an outage the pool retries at growing intervals, up to this. Later outages start again.
    "reconnect_timeout": 10,
}
_SQLITE = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
}
_KEEPALIVES = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}


def databases(config: Config) -> dict[str, Any]:
    """Return Django's `DATABASES`. Options in the URL override the ones chosen here."""
    url = config.database_url or f"sqlite:///{config.data_dir / 'warpcourt.sqlite3'}"
    found: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=0, conn_health_checks=True))
    chosen = _SQLITE if found["ENGINE"].endswith("sqlite3") else _postgresql(config)
    found["OPTIONS"] = {**chosen, **found.get("OPTIONS", {})}
    return {"default": found}


def _postgresql(config: Config) -> dict[str, Any]:
    # A timeout of half a lease leaves the other half to the next worker of the job. Tests have leases of a
    # second or two.
    idle_s = min(IDLE_IN_TRANSACTION_S, max(5, config.lease_s // 2))
    asked = {
        "idle_in_transaction_session_timeout": f"{idle_s}s",
        "tcp_user_timeout": f"{SILENT_S}s",
        **{f"tcp_{name}": value for name, value in _KEEPALIVES.items()},
    }
    return {
        "application_name": "warpcourt",  # a restore checks by this name whether the database is in use
        "pool": dict(_POOL),
        "connect_timeout": CONNECT_S,
        "keepalives": 1,
        **_KEEPALIVES,
        "tcp_user_timeout": SILENT_S * 1000,
        "options": " ".join(f"-c {name}={value}" for name, value in asked.items()),
    }
