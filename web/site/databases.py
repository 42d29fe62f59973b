"""How processes reach the database, and how soon either side notices that the other has gone.

Theory of operation. A lost packet says nothing: without limits a client waits for minutes for an answer that
will not come, and a server keeps the locks of a client that is cut off or stopped for hours. All waiting here
is shorter than a lease. A client gives up a connection that is not made in CONNECT_S, or on which nothing is
acknowledged for SILENT_S. The server is asked to do the same with its clients, and to end a transaction in
which its client does nothing: so a worker that is paused while it records a verdict holds nobody up when
its lease is over. A pool looks whether a connection is alive before it hands it out.

SQLite has no such remedy, and needs less: all its processes are on one host, and the lock of one that dies is
gone with it. It has one writer at a time: a transaction that will write takes the lock when it begins, so
that it waits its turn instead of failing half-way. WAL lets readers go on meanwhile.
"""

from typing import Any

import dj_database_url
from django.db import InterfaceError, OperationalError

from web.config import Config

# What is raised where the database does not answer, as against what it refuses.
DATABASE_AWAY = (OperationalError, InterfaceError)
CONNECT_S = 5
SILENT_S = 10
IDLE_IN_TRANSACTION_S = 10
_POOL = {
    "min_size": 1,
    "max_size": 20,
    # Then a page says that the database is away, instead of waiting on.
    "timeout": 4,
    # After an outage the pool tries again at ever longer intervals, up to this. Later ones begin anew.
    "reconnect_timeout": 10,
}
_SQLITE = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
}
_KEEPALIVES = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}


def databases(config: Config) -> dict[str, Any]:
    """Django's `DATABASES`. What the URL says beside the address wins over what is chosen here."""
    url = config.database_url or f"sqlite:///{config.data_dir / 'warpcourt.sqlite3'}"
    found: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=0, conn_health_checks=True))
    chosen = _SQLITE if found["ENGINE"].endswith("sqlite3") else _postgresql(config)
    found["OPTIONS"] = {**chosen, **found.get("OPTIONS", {})}
    return {"default": found}


def _postgresql(config: Config) -> dict[str, Any]:
    # Half a lease leaves the other half to whoever takes the job over; tests have leases of a second or two.
    idle_s = min(IDLE_IN_TRANSACTION_S, max(5, config.lease_s // 2))
    asked = {
        "idle_in_transaction_session_timeout": f"{idle_s}s",
        "tcp_user_timeout": f"{SILENT_S}s",
        **{f"tcp_{name}": value for name, value in _KEEPALIVES.items()},
    }
    return {
        "application_name": "warpcourt",  # by which a restore sees whether somebody still uses the database
        "pool": dict(_POOL),
        "connect_timeout": CONNECT_S,
        "keepalives": 1,
        **_KEEPALIVES,
        "tcp_user_timeout": SILENT_S * 1000,
        "options": " ".join(f"-c {name}={value}" for name, value in asked.items()),
    }
