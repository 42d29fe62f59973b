"""What all commands do the same way: open the site, answer, fail."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from rich.console import Console, RenderableType

from . import credentials, show
from .client import Client


@contextmanager
def site() -> Iterator[Client]:
    """The site that `login` or the environment names.

    Raises:
        CredentialsInvalid: neither names one.
    """
    known = credentials.load()
    if known is None:
        raise credentials.CredentialsInvalid("Which site? Run: warpcourt login URL, or set WARPCOURT_URL.")
    with Client(known) as client:
        yield client


def answer(body: object, *, as_json: bool, shown: RenderableType) -> None:
    """Print the site's answer, as JSON or as people read it. A sentence is no markup."""
    if as_json:
        print_json(body)
    elif isinstance(shown, str):
        show.plain(out(), shown)
    else:
        out().print(shown)


def print_json(body: object) -> None:
    """Print `body` for programs."""
    json.dump(body, sys.stdout, indent=2)
    sys.stdout.write("\n")


def out() -> Console:
    """Where answers go."""
    return Console(highlight=False)


def progress() -> Console:
    """Where progress and refusals go."""
    return Console(stderr=True, highlight=False)


def fail(message: str, status: int) -> NoReturn:
    """End with a sentence and an exit status."""
    show.plain(progress(), message)
    raise SystemExit(status)
