"""What dumping and loading a database has in common, whichever it is."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol


@dataclass(frozen=True, slots=True)
class DumpContent:
    """What a database holds: all applied migrations as `app.name`, and how many rows by table."""

    migrations: tuple[str, ...]
    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Dump:
    """A database at one moment: what it holds, and its dump piece by piece. `packed`: it is compressed."""

    content: DumpContent
    chunks: Iterator[bytes]
    packed: bool


class Database(Protocol):
    """The database of this site. `kind` is what a manifest calls it, `member` how its dump is called."""

    kind: ClassVar[str]
    member: ClassVar[str]

    def dumping(self, folder: Path) -> AbstractContextManager[Dump]:
        """A dump, good within the block. `folder` has room for a copy where one is needed.

        Raises:
            ToolFailed: it cannot be dumped.
        """

    def content(self) -> DumpContent:
        """What it holds now; nothing when it is empty."""

    def users(self) -> int:
        """How many connections of the site and its workers there are, as far as that can be known."""

    def load(self, chunks: Iterable[bytes]) -> None:
        """Replace all that it holds by a dump, or leave it as it is.

        Raises:
            ToolFailed: it cannot be loaded, and is as it was.
        """
