"""A workspace as a folder, for whatever reads problem packages."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from problems.contents import Contents, as_folder
from problems.loader import load_problem
from problems.schema import Problem
from web.authoring import queries
from web.authoring.models import Workspace


@contextmanager
def unpacked(workspace: Workspace) -> Iterator[Path]:
    """A folder with the files of `workspace` as they are now, gone after the block."""
    with as_folder(Contents(workspace.slug, queries.read(workspace))) as folder:
        yield folder


def load(workspace: Workspace) -> Problem:
    """The problem that the files make. Paths in it are gone by the time of reading.

    Raises:
        problems.faults.PackageInvalid: with every fault of the package.
    """
    with unpacked(workspace) as folder:
        return load_problem(folder)
