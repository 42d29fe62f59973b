"""A workspace as a folder, for whatever reads problem packages."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from problems.contents import Contents, write_folder
from problems.loader import load_problem
from problems.schema import Problem
from web.authoring import queries
from web.authoring.models import Workspace


@contextmanager
def folder_of(contents: Contents) -> Iterator[Path]:
    """A folder with `contents`, named like the problem, gone after the block."""
    with TemporaryDirectory(prefix="warpcourt-author-") as base:
        yield write_folder(contents, Path(base))


@contextmanager
def unpacked(workspace: Workspace) -> Iterator[Path]:
    """A folder with the files of `workspace` as they are now, gone after the block."""
    with folder_of(Contents(workspace.slug, queries.read(workspace))) as folder:
        yield folder


def load(workspace: Workspace) -> Problem:
    """The problem that the files make. Paths in it are gone by the time of reading.

    Raises:
        problems.faults.PackageInvalid: with every fault of the package.
    """
    with unpacked(workspace) as folder:
        return load_problem(folder)
