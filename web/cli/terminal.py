"""Shared by all commands: connecting to the site, output and errors."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from . import credentials, show
from .client import Client

_FILE_COLUMNS = 10_000  # lines in a file or a pipe are not wrapped


class _Console(Console):
    """Prints text literally, without markup and terminal control characters."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)
        if not self.is_terminal and "COLUMNS" not in os.environ:
            self.width = _FILE_COLUMNS

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The output in segments. Control segments of rich itself stay unchanged."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=segment.text.translate(show.CONTROLS))


@contextmanager
def site() -> Iterator[Client]:
    """The site that `login` or the environment names.

    Raises:
        CredentialsInvalid: no site is configured.
    """
    known = credentials.load()
    if known is None:
        raise credentials.CredentialsInvalid(
            "No site is configured. Run: warpcourt login URL, or set WARPCOURT_URL."
        )
    with Client(known) as client:
        yield client


def answer(body: object, *, as_json: bool, shown: RenderableType) -> None:
    """Print the site's response, as JSON or as text. Text contains no markup."""
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
    """The console for results."""
    return _Console()


def progress() -> Console:
    """The console for progress and errors."""
    return _Console(stderr=True)


def fail(message: str, status: int) -> NoReturn:
    """Print a message and exit with a status."""
    show.plain(progress(), message)
    raise SystemExit(status)
