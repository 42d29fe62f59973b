"""The interface of database dumps, common to all databases."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol


@dataclass(frozen=True, slots=True)
class DumpContent:
    """The contents of a database: all applied migrations as `app.name`, and the number of rows by table."""

    migrations: tuple[str, ...]
    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Dump:
    """A consistent snapshot of a database: its contents and its dump. `packed`: the dump is compressed."""

    content: DumpContent
    chunks: Iterator[bytes]
    packed: bool


class Database(Protocol):
    """The database of this site. `kind` is its name in a manifest, `member` the name of its dump."""

    kind: ClassVar[str]
    member: ClassVar[str]

    def dumping(self, folder: Path) -> AbstractContextManager[Dump]:
        """A dump, valid within the block. `folder` must have space for a copy of the database.

        Raises:
            ToolFailed: it cannot be dumped.
        """

    def content(self) -> DumpContent:
        """The current contents."""

    def users(self) -> int:
        """The number of connections of the site and its workers; 0 if the database cannot tell."""

    def load(self, chunks: Iterable[bytes]) -> None:
        """Replace the whole contents with a dump, or change nothing.

        Raises:
            ToolFailed: the dump cannot be loaded. Nothing was changed.
        """
