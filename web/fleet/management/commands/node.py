"""`manage.py node invite NAME` on the site, then `manage.py node join TOKEN` on the new node."""

import ipaddress
import sys
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from deploy.audit.finding import Finding
from deploy.check_environment import DOCKER, add_options, audit, line_of
from web.config import Config
from web.fleet import joining
from web.fleet.handshake import HandshakeFailed, JoinToken
from web.fleet.invitations import LONGEST, invite
from web.fleet.models import NAME_CHARACTERS
from web.setting import ConfigError
from web.site.judging import board_key
from web.site.version import version

_VERSION = "version"
_STANDARD_INPUT = "-"
_MOST_CHARACTERS = 4096  # of a line on the standard input
_NEXT = """\
Joined as {name}. The settings are in {path}, which only this user can read.
In this checkout, start these programs with that file as their environment, for example with systemd:
  {service}.venv/bin/celery -A worker.app worker --without-gossip --without-mingle
Then test this host: set -a; . {path}; deploy/warpcourt-admin doctor --judging
"""
_PERSONAL = """\
Joined {site} as a personal node. The settings are in {path}, which only this user can read.
Start the node in this checkout: set -a; . {path}; .venv/bin/python -m worker.personal
"""
_SERVICE = ".venv/bin/python -m worker.node\n  "


class Command(BaseCommand):
    help = (
        "Join a host that judges: `node invite NAME` on the site prints a token for `node join` on the host."
    )
    requires_system_checks = ()  # a new host has no database

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, parser_class=CommandParser)
        inviting = actions.add_parser("invite", help="on the site: print a token that joins one node once")
        inviting.add_argument("name", metavar="NAME", help="name of the node in the fleet")
        inviting.add_argument("--hours", type=int, default=24, help="how long the token works; default: 24")
        inviting.add_argument(
            "--database-url-file", type=Path, help="file with the database's URL as the node reaches it"
        )
        inviting.add_argument(
            "--broker-url-file", type=Path, help="file with the broker's URL as the node reaches it"
        )
        joins = actions.add_parser("join", help="on the node: check this host and join the site")
        joins.add_argument("token", metavar="TOKEN", help="token of `node invite`; - reads it from stdin")
        joins.add_argument("--cpu", action="store_true", help="judge on CPUs only")
        joins.add_argument(
            "--file", type=Path, help="file for the settings; default: node.env in the data directory"
        )
        joins.add_argument("--overwrite", action="store_true", help="replace that file if it exists")
        config: Config = settings.WARPCOURT
        add_options(joins, isolation=config.isolation, images=config.images)

    def handle(self, *_: object, **options: Any) -> None:
        try:
            self._invite(options) if options["action"] == "invite" else self._join(options)
        except HandshakeFailed as trouble:
            raise CommandError(str(trouble)) from trouble

    def _invite(self, options: dict[str, Any]) -> None:
        config, name = settings.WARPCOURT, options["name"]
        lifetime = timedelta(hours=options["hours"])
        if not timedelta(0) < lifetime <= LONGEST:
            raise CommandError(f"--hours: give 1 to {LONGEST // timedelta(hours=1)}.")
        if not config.public_url:
            raise CommandError("The token contains the site's address. Set WARPCOURT_PUBLIC_URL first.")
        given = {
            "WARPCOURT_NODE_NAME": name,
            "WARPCOURT_DATABASE_URL": _url(options["database_url_file"], config.database_url, "database"),
            "WARPCOURT_BROKER_URL": _url(options["broker_url_file"], config.broker_url, "broker"),
            "WARPCOURT_BOARD_KEY": board_key(config).hex(),
        }
        try:
            Config.from_env(given)
        except ConfigError as error:
            raise CommandError(str(error)) from error
        if len(name) > NAME_CHARACTERS or not name:
            raise CommandError(f"Give a name of 1 to {NAME_CHARACTERS} characters.")
        token = invite(name, config.public_url, {**given, _VERSION: version()}, lifetime=lifetime)
        self.stderr.write(
            f"This token joins {name} once within {options['hours']} h. It gives access to the database: "
            "keep it secret. In the checkout on the node, run deploy/warpcourt-admin node join - and enter "
            "the token."
        )
        self.stdout.write(token.to_text())

    def _join(self, options: dict[str, Any]) -> None:
        given_token = options["token"]
        token = JoinToken.parse(_read_token() if given_token == _STANDARD_INPUT else given_token)
        path: Path = (options["file"] or settings.WARPCOURT.data_dir / "node.env").absolute()
        if path.exists() and not options["overwrite"]:
            raise CommandError(f"{path} exists: this host has joined. Replace it with --overwrite.")
        gpu = not options["cpu"]
        without = " If this host has no NVIDIA GPU, add --cpu." if gpu else ""
        isolation, images = options["isolation"], options["images"]
        self._print(
            audit(gpu_host=gpu, isolation=isolation, images=images, trusted=options["trust"]),
            f"Nothing was changed, and the token still works.{without}",
        )
        own = {"WARPCOURT_TARGET": "gpu" if gpu else "cpu", "WARPCOURT_ISOLATION": isolation}
        if isolation == DOCKER:
            own["WARPCOURT_IMAGES"] = images
        try:
            # Open the file first, because the token works only once.
            with joining.writing_settings(path) as write:
                given = joining.ask_to_join(token)
                made_by = given.pop(_VERSION, "")
                write({**given, **own})
        except OSError as error:
            raise CommandError(f"Cannot write {path}: {error.strerror or error}") from error
        if made_by != version():
            self.stdout.write(
                f"This host has version {version()}, the site {made_by}. Install the site's version "
                f"before you start anything: update this checkout to {made_by} and run deploy/setup in it."
            )
        if "WARPCOURT_NODE_KEY" in given:
            self.stdout.write(_PERSONAL.format(site=given["WARPCOURT_SITE_URL"], path=path))
            return
        self._print(
            joining.check_reach(given), f"The settings are in {path}. Fix this, then start the services."
        )
        name = given["WARPCOURT_NODE_NAME"]
        self.stdout.write(_NEXT.format(name=name, path=path, service=_SERVICE if gpu else ""))

    def _print(self, findings: Iterable[Finding], consequence: str) -> None:
        """Print findings with their fixes.

        Raises:
            CommandError: the host must not judge before they are fixed.
        """
        stopping = 0
        for finding in findings:
            self.stdout.write(line_of(finding), ending="")
            stopping += finding.stops
        if stopping:
            raise CommandError(f"Problems to fix first: {stopping}. {consequence}")


def _read_token() -> str:
    """Return the first line of the standard input, for which a user at a terminal is asked."""
    if sys.stdin.isatty():
        sys.stderr.write("Paste the token: ")
        sys.stderr.flush()
    return sys.stdin.readline(_MOST_CHARACTERS)


def _url(file: Path | None, own: str, what: str) -> str:
    """Return the URL for nodes: that in the file, else the site's own if other hosts can use it."""
    try:
        url = file.read_text().strip() if file else own
    except (OSError, ValueError) as error:
        raise CommandError(f"Cannot read {file}: {error}") from error
    host = (urlsplit(url).hostname or "") if "://" in url else ""
    option = f"--{what}-url-file"
    if not url or url.startswith("sqlite"):
        raise CommandError(
            f"Nodes need a {what} that they can reach. Set one up, or name its URL with {option}."
        )
    if not file and _only_here(host):
        raise CommandError(
            f"Other hosts cannot reach the {what} as {host}. Name its URL for nodes with {option}."
        )
    return url


def _only_here(host: str) -> bool:
    """Return whether only this host, or its Compose network, knows `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return "." not in host or host == "localhost"
