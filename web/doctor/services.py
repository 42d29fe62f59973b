"""Checks of services: database, broker, clock and proxy."""

import logging
import socket
import ssl
import time
from datetime import UTC, datetime
from urllib.parse import urlsplit

import redis
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from deploy.audit.finding import Finding, Findings, Level, ok_if
from web.config import Config
from web.site.clock import read_clock

_SLOW_S = 0.25
_SKEW_S = 5.0
_PATIENCE_S = 3.0
_RENEW_DAYS = 7
# Without --force, Caddy keeps the old certificate if the path of the new one is the same.
_RELOAD = (
    "docker compose exec proxy caddy reload --force --config /etc/caddy/Caddyfile "
    "--address unix//tmp/caddy.sock"
)
_POOL_LOG = logging.getLogger("psycopg.pool")


class _Retries(logging.Filter):
    """Keeps the latest warning of the connection pool, instead of logging each of its retries.

    The error of the pool itself says only that it waited.
    """

    latest = ""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the message, and drop the record."""
        self.latest = record.getMessage()
        return False


_RETRIES = _Retries()


def check_database(config: Config) -> Findings:
    """The database responds quickly, and several hosts can share it."""
    began = time.monotonic()
    _POOL_LOG.addFilter(_RETRIES)  # never removed, because the pool continues to retry in the background
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        cause = (_RETRIES.latest or str(error)).strip().partition("\n")[0]
        fix = "start the database, or fix WARPCOURT_DATABASE_URL; with Compose: docker compose logs postgres"
        yield Finding("database", Level.MISSING, cause, fix)
        return
    took_s = time.monotonic() - began
    name = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}.get(connection.vendor, connection.vendor)
    version = ".".join(map(str, connection.get_database_version()))
    yield Finding("database", Level.OK, f"{name} {version}, responded in {1000 * took_s:.0f} ms")
    if took_s > _SLOW_S:
        yield Finding(
            "database", Level.WEAK, "slow to respond", "check the load of its host and the network between"
        )
    if connection.vendor == "sqlite" and config.broker_url:
        fix = "set WARPCOURT_DATABASE_URL to PostgreSQL: workers on other hosts cannot share an SQLite file"
        yield Finding("database", Level.WEAK, "SQLite together with a broker", fix)


def check_migrations(_config: Config) -> Findings:
    """All migrations of this version are applied, and no newer ones."""
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in waiting[:3])
    yield Finding(
        "migrations",
        ok_if(not waiting),
        f"{len(waiting)} not applied: {names}" if waiting else "all applied",
        "run warpcourt-admin migrate; with Compose: docker compose run --rm migrate",
    )
    known = set(executor.loader.disk_migrations)
    ours = {label for label, _ in known}
    newer = [key for key in executor.loader.applied_migrations if key[0] in ours and key not in known]
    if newer:
        fix = "run the newer version on all hosts: deploy/rolling-restart, or upgrade this host"
        found = f"this version does not know {len(newer)} applied migrations, such as {'.'.join(newer[0])}"
        yield Finding("migrations", Level.WEAK, found, fix)


def check_broker(config: Config) -> Findings:
    """The broker responds."""
    if not config.broker_url:
        yield Finding("broker", Level.OK, "none: files in the data directory")
        return
    client = redis.Redis.from_url(
        config.broker_url, socket_connect_timeout=_PATIENCE_S, socket_timeout=_PATIENCE_S
    )
    try:
        client.ping()
    except redis.RedisError as error:
        fix = (
            f"start Redis, or fix WARPCOURT_BROKER_URL; nothing is lost, but submissions wait for the next "
            f"sweep, up to {config.sweep_s} s, and rate limits are off"
        )
        yield Finding("broker", Level.MISSING, str(error), fix)
    else:
        yield Finding("broker", Level.OK, "Redis responds")
    finally:
        client.close()


def check_clock(_config: Config) -> Findings:
    """This host's clock agrees with the database's clock, which leases and heartbeats use."""
    before = datetime.now(UTC)
    there = read_clock()
    off_s = abs((there - before - (datetime.now(UTC) - before) / 2).total_seconds())
    yield Finding(
        "clock",
        ok_if(off_s < _SKEW_S, Level.WEAK),
        f"{off_s:.1f} s off the database's clock",
        "run NTP on both hosts; leases are not affected, but times in logs and pages differ",
    )


def check_address(config: Config) -> Findings:
    """The public URL is reachable, and its certificate is valid for a while."""
    url = urlsplit(config.public_url)
    if url.scheme != "https" or not url.hostname:
        return
    try:
        days = _days_left(url.hostname, url.port or 443)
    except ssl.SSLCertVerificationError as error:
        fix = (
            "ignore this if your users trust its authority, such as Caddy's own; else get another certificate"
        )
        yield Finding("certificate", Level.WEAK, error.verify_message or str(error), fix)
    except OSError as error:
        fix = "start the proxy (docker compose up -d proxy); ignore this if only this host cannot reach it"
        yield Finding("certificate", Level.WEAK, f"cannot reach {url.hostname} from this host: {error}", fix)
    else:
        fix = f"renew it, then run: {_RELOAD}"
        yield Finding(
            "certificate", ok_if(days > _RENEW_DAYS, Level.WEAK), f"valid for {days} more days", fix
        )


def _days_left(host: str, port: int) -> int:
    context = ssl.create_default_context()
    with (
        socket.create_connection((host, port), timeout=_PATIENCE_S) as plain,
        context.wrap_socket(plain, server_hostname=host) as secured,
    ):
        until = ssl.cert_time_to_seconds(str((secured.getpeercert() or {})["notAfter"]))
    return int((until - time.time()) // 86400)
