"""Joining a site, on the side of the new node. `web.fleet.handshake` explains the protocol."""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psycopg
import redis

from deploy.audit.finding import Finding, Findings, Level
from web.fleet import handshake
from web.fleet.handshake import HandshakeFailed, JoinToken, Role

ADDRESS = "/api/v1/fleet/join"
_PATIENCE_S = 10
_MOST_BYTES = 1 << 16
_URL_FIX = "encode special characters of the password as %XX, then make a new token on the site"


def ask_to_join(token: JoinToken, transport: httpx.BaseTransport | None = None) -> dict[str, str]:
    """Return the settings that the site has for this node. This uses the token up.

    Raises:
        HandshakeFailed: the site cannot be reached, refuses the token, or is not the one that made it.
    """
    key, nonce = handshake.proof_key(token.secret), handshake.new_nonce()
    body = {"id": token.id, "nonce": nonce, "proof": handshake.prove(key, Role.NODE, token.id, nonce)}
    try:
        with (
            httpx.Client(
                transport=transport, timeout=_PATIENCE_S, trust_env=not handshake.is_loopback(token.site)
            ) as client,
            client.stream("POST", f"{token.site}{ADDRESS}", json=body) as response,
        ):
            content = bytearray()
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > _MOST_BYTES:
                    raise HandshakeFailed(f"The answer of {token.site} is too long. Check the address.")
            status = response.status_code
    except httpx.HTTPError as error:
        raise HandshakeFailed(
            f"Cannot reach {token.site}: {error}. Check that you copied the whole token. Then check the "
            "address, the firewall and the certificate. If your own authority signed it, set "
            "SSL_CERT_FILE to the certificate of the authority."
        ) from error
    if status == httpx.codes.FORBIDDEN:
        raise HandshakeFailed(
            f"{token.site} refuses the token: it has expired, or was used or replaced. Make a new one there: "
            "with warpcourt-admin node invite NAME, or for a personal node at Your nodes in your account."
        )
    if status != httpx.codes.OK:
        raise HandshakeFailed(f"{token.site} answered with status {status}. Read the log of its web servers.")
    sealed, proof = _read(bytes(content), token.site)
    if not handshake.proves(proof, key, Role.SITE, token.id, nonce, sealed):
        raise HandshakeFailed(f"{token.site} does not know the token. It is not the site that made it.")
    return handshake.unseal(token.secret, sealed)


def _read(content: bytes, site: str) -> tuple[str, str]:
    try:
        answer = httpx.Response(httpx.codes.OK, content=content).json()
        return str(answer["sealed"]), str(answer["proof"])
    except (ValueError, KeyError, TypeError) as error:
        raise HandshakeFailed(f"The answer of {site} is not one of Warpcourt. Check the address.") from error


@contextmanager
def writing_settings(path: Path) -> Iterator[Callable[[Mapping[str, str]], None]]:
    """Open a new file for the settings, and yield the function that writes it and moves it to `path`.

    It is an environment file for a shell or for systemd, which only its owner can read. A failure before
    the function is called changes nothing.

    Raises:
        OSError: the file cannot be created or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with suppress(FileNotFoundError):
        new.unlink()
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:

        def write(settings: Mapping[str, str]) -> None:
            stream.write("".join(f"{name}={shlex.quote(value)}\n" for name, value in settings.items()))
            stream.flush()
            new.replace(path)

        try:
            yield write
        finally:
            with suppress(FileNotFoundError):
                new.unlink()


def check_reach(settings: Mapping[str, str]) -> Findings:
    """Check that this host reaches the database and the broker."""
    try:
        psycopg.connect(settings["WARPCOURT_DATABASE_URL"], connect_timeout=_PATIENCE_S).close()
    except psycopg.ProgrammingError:  # the text of the error can contain a part of the password
        yield Finding("database", Level.MISSING, "the URL cannot be parsed", _URL_FIX)
    except psycopg.Error as error:
        fix = "let this host through the firewall and pg_hba.conf of the database"
        yield Finding("database", Level.MISSING, str(error).strip().partition("\n")[0], fix)
    else:
        yield Finding("database", Level.OK, "PostgreSQL responds")
    try:
        client = redis.Redis.from_url(
            settings["WARPCOURT_BROKER_URL"], socket_connect_timeout=_PATIENCE_S, socket_timeout=_PATIENCE_S
        )
    except (ValueError, TypeError):
        yield Finding("broker", Level.MISSING, "the URL cannot be parsed", _URL_FIX)
        return
    try:
        client.ping()
    except redis.RedisError as error:
        yield Finding("broker", Level.MISSING, str(error), "let this host through the firewall of Redis")
    else:
        yield Finding("broker", Level.OK, "Redis responds")
    finally:
        client.close()
