"""The URL of the site, and the user's token.

`WARPCOURT_URL` and `WARPCOURT_TOKEN` take precedence, for scripts. Otherwise `warpcourt login` has written
both to a file that only its owner can read, in `$XDG_CONFIG_HOME` or `~/.config`.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class CredentialsInvalid(Exception):
    """Raised when the file of `login` is missing or invalid. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """A site's URL without a trailing slash, and a token. None: not signed in."""

    url: str
    token: str | None = None


def file_of(environ: Mapping[str, str] = os.environ) -> Path:
    """The path of the credentials file."""
    base = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME", "~")).expanduser() / ".config"
    return Path(base) / "warpcourt" / "credentials.json"


def load(environ: Mapping[str, str] = os.environ) -> Credentials | None:
    """The site and the token to use; None if no site is configured.

    Raises:
        CredentialsInvalid: the file is not what `login` writes.
    """
    kept = _read(file_of(environ))
    url, token = environ.get("WARPCOURT_URL", "").rstrip("/"), environ.get("WARPCOURT_TOKEN")
    if not url:
        return Credentials(kept.url, token or kept.token) if kept else None
    # A token is for the site that gave it, never for another.
    known = kept.token if kept and kept.url == url else None
    return Credentials(url, token or known)


def save(credentials: Credentials, environ: Mapping[str, str] = os.environ) -> Path:
    """Store `credentials` for later commands, readable only by their owner."""
    path = file_of(environ)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump({"url": credentials.url, "token": credentials.token}, file)
    fresh.replace(path)
    return path


def forget(environ: Mapping[str, str] = os.environ) -> bool:
    """Delete the stored credentials. False if there were none."""
    path = file_of(environ)
    there = path.exists()
    path.unlink(missing_ok=True)
    return there


def _read(path: Path) -> Credentials | None:
    try:
        body = json.loads(path.read_text())
        return Credentials(str(body["url"]), body["token"] and str(body["token"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CredentialsInvalid(f"Cannot read {path}. Run: warpcourt login URL") from error
