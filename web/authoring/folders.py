"""Writes a workspace to a folder, for code that reads problem packages."""

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
    """Yield a folder with the current files of `workspace`. The folder is deleted after the block."""
    with as_folder(Contents(workspace.slug, queries.read(workspace))) as folder:
        yield folder


def load(workspace: Workspace) -> Problem:
    """Return the problem in the files. Its paths no longer exist when this returns.

    Raises:
        problems.faults.PackageInvalid: the package has faults. The exception contains all of them.
    """
    with unpacked(workspace) as folder:
        return load_problem(folder)
