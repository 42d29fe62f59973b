"""The checklist for production: one line for each requirement of `docs/production.md`.

A line is verified by findings of the doctor's checks, by a check of this module, or by the administrator.
`docs/production.md` lists the same lines in the same order; a test compares the two.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from allauth.mfa.models import Authenticator
from django.db import connection

from deploy.audit.finding import Finding, Findings, Level, ok_if
from web.accounts.models import User
from web.config import Config
from web.doctor.settings import LOCAL_HOSTS

_MOST_NAMES = 3
_SEVERITY = [*Level]


class State(StrEnum):
    """The state of a line."""

    OK = "ok"
    FIX = "fix"
    YOURS = "you check this"


@dataclass(frozen=True, slots=True)
class Line:
    """A requirement. `checks` names the findings that verify it; without any, the administrator does.

    If the checks find nothing, the state of the line is `unchecked`: OK if these checks report only faults.
    `action` says what to do in that case, unless the state is OK.
    """

    id: str
    requirement: str
    checks: tuple[str, ...] = ()
    action: str = ""
    unchecked: State = State.FIX


@dataclass(frozen=True, slots=True)
class Verified:
    """A line with its state, what was found, and what to do."""

    line: Line
    state: State
    found: str
    action: str


LINES = (
    Line("debug-off", "Debug mode is off.", ("settings",), unchecked=State.OK),
    Line("public-url", "`WARPCOURT_PUBLIC_URL` is the https address of the site.", ("address", "public-url")),
    Line(
        "certificate",
        "The TLS certificate is valid for another week.",
        ("certificate",),
        "set WARPCOURT_PUBLIC_URL=https://... first",
    ),
    Line("proxy", "The site trusts its own proxy, and only that.", ("proxy",)),
    Line("secret-key", "All web servers share one secret key.", ("secret key",)),
    Line("mail", "A mail server sends password resets and notifications.", ("mail",)),
    Line("postgresql", "The database is PostgreSQL, and it responds quickly.", ("database", "postgresql")),
    Line("migrations", "All migrations are applied.", ("migrations",)),
    Line("redis", "The broker is Redis, and it responds.", ("broker", "redis")),
    Line("clocks", "The clocks of the hosts agree.", ("clock",)),
    Line("disk", "The data directory has free space.", ("data directory",)),
    Line("problems", "All problem packages are valid and loaded.", ("problems",)),
    Line("administrator", "The site has an active superuser.", ("staff",)),
    Line("second-factor", "Each superuser has a second factor.", ("second-factor",)),
    Line("workers", "Workers run, can judge, and have the same version.", ("workers",)),
    Line(
        "nodes",
        "No node is lost or drained, and no GPU is out of use.",
        ("nodes", "gpus"),
        unchecked=State.OK,
    ),
    Line("queue", "No submission waits for long.", ("queue",)),
    Line("sweeps", "Sweeps return the jobs of lost workers.", ("sweeps",)),
    Line(
        "isolation",
        "Each host that judges can isolate programs.",
        ("judging",),
        "run warpcourt-admin doctor --judging on each host that judges",
        State.YOURS,
    ),
    Line(
        "backup",
        "The latest backup is recent.",
        ("backup",),
        "set WARPCOURT_BACKUP_MAX_AGE_H to a number above 0",
    ),
    Line("metrics", "Prometheus reads the metrics with a token.", ("metrics",)),
    Line("logs", "Logs are JSON, so that a log server can search them.", ("logs",)),
    Line(
        "gpu-hosts",
        "Each GPU host passes the audit and does nothing else.",
        action="run deploy/check-environment on each GPU host, with the isolation of its workers",
    ),
    Line(
        "alerts",
        "Prometheus has loaded the alert rules, and an alert reaches you.",
        action="load deploy/observability/alerts.yml, stop a worker and wait for the alert",
    ),
    Line(
        "backup-elsewhere",
        "Copies of backups, `.env` and `secrets/` are on another host.",
        action="check that last night's file is on that host",
    ),
    Line(
        "restore-rehearsed",
        "A backup was restored within the last month.",
        action="follow docs/operations/backup-and-upgrade.md#rehearse-a-restore",
    ),
    Line(
        "smoketest",
        "A submission is judged from end to end.",
        action="run warpcourt-admin smoketest",
    ),
    Line(
        "network",
        "Only the proxy's ports are reachable from other networks.",
        action="scan the hosts from outside: only 80 and 443 may be open",
    ),
    Line(
        "sign-up",
        "Only the users that you expect can create accounts.",
        action="read WARPCOURT_SIGN_UP and WARPCOURT_OIDC_SIGN_UP",
    ),
)


def check_production_settings(config: Config) -> Findings:
    """Settings that a site for other users needs, and a site on one machine does not."""
    host = urlsplit(config.public_url).hostname or ""
    yield Finding(
        "public-url",
        ok_if(bool(host) and host not in LOCAL_HOSTS, Level.WEAK),
        config.public_url or "WARPCOURT_PUBLIC_URL is not set",
        "set WARPCOURT_PUBLIC_URL to the https address that users open",
    )
    yield Finding(
        "proxy",
        ok_if(config.trusted_proxies > 0, Level.WEAK),
        f"WARPCOURT_TRUSTED_PROXIES is {config.trusted_proxies}",
        "set WARPCOURT_TRUSTED_PROXIES to the number of proxies in front of the site",
    )
    yield Finding(
        "secret key",
        ok_if(bool(config.secret_key), Level.WEAK),
        "a key is set" if config.secret_key else "the key is in the data directory of this host",
        "set WARPCOURT_SECRET_KEY_FILE, the same for all web servers",
    )
    yield Finding(
        "mail",
        ok_if(bool(config.email_url), Level.WEAK),
        "a mail server is set" if config.email_url else "no mail server is configured",
        "set WARPCOURT_EMAIL_URL_FILE",
    )
    yield Finding(
        "redis",
        ok_if(bool(config.broker_url), Level.WEAK),
        "Redis is configured" if config.broker_url else "messages are files in the data directory",
        "set WARPCOURT_BROKER_URL: without Redis, each process counts rate limits separately",
    )
    yield Finding(
        "metrics",
        ok_if(bool(config.metrics_token), Level.WEAK),
        "a token is set" if config.metrics_token else "no token is set",
        "set WARPCOURT_METRICS_TOKEN_FILE, and give Prometheus the same token",
    )
    yield Finding(
        "logs",
        ok_if(config.log_format == "json", Level.WEAK),
        f"the log format is {config.log_format}",
        "set WARPCOURT_LOG_FORMAT=json",
    )


def check_vendor(_config: Config) -> Findings:
    """The database can serve several hosts."""
    yield Finding(
        "postgresql",
        ok_if(connection.vendor == "postgresql", Level.WEAK),
        f"the database is {connection.vendor}",
        "set WARPCOURT_DATABASE_URL to a PostgreSQL database before you invite users",
    )


def check_second_factors(_config: Config) -> Findings:
    """A stolen password of a superuser does not open the site."""
    superusers = User.objects.filter(is_superuser=True, is_active=True)
    secured = Authenticator.objects.exclude(type=Authenticator.Type.RECOVERY_CODES).values("user")
    weak = list(superusers.exclude(pk__in=secured).order_by("username").values_list("username", flat=True))
    names = ", ".join(weak[:_MOST_NAMES]) + (", ..." if len(weak) > _MOST_NAMES else "")
    yield Finding(
        "second-factor",
        ok_if(not weak, Level.WEAK),
        f"superusers without a second factor: {names}" if weak else "no superuser lacks a second factor",
        "sign in as each of them and set up an authenticator app or a security key",
    )


def verify(findings: Iterable[Finding]) -> Iterator[Verified]:
    """Yield all lines in order. `findings` are those of `examine(..., production=True)`."""
    known = list(findings)
    sound = not any(finding.stops for finding in known if finding.check in {"database", "migrations"})
    for line in LINES:
        yield _verify(line, [finding for finding in known if finding.check in line.checks], sound=sound)


def _verify(line: Line, found: list[Finding], *, sound: bool) -> Verified:
    if not line.checks:
        return Verified(line, State.YOURS, "", line.action)
    if found:
        worst = max(found, key=lambda finding: _SEVERITY.index(finding.level))
        state = State.OK if worst.level is Level.OK else State.FIX
        return Verified(line, state, worst.found, worst.fix if state is State.FIX else "")
    if not sound:
        return Verified(line, State.FIX, "not checked", "fix the database first")
    if line.unchecked is State.OK:
        return Verified(line, State.OK, "no fault found", "")
    return Verified(line, line.unchecked, "not checked", line.action)
