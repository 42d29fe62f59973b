"""A workspace as a folder, for whatever reads problem packages."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from problems.loader import load_problem
from problems.schema import Problem
from web.authoring import queries
from web.authoring.models import Workspace


@contextmanager
def folder_of(slug: str, files: Mapping[str, bytes]) -> Iterator[Path]:
    """A folder named `slug` with `files`, gone after the block. Paths are those that a workspace takes."""
    with TemporaryDirectory(prefix="warpcourt-author-") as base:
        folder = Path(base, slug)
        folder.mkdir()
        for path, data in files.items():
            place = folder / path
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(data)
        yield folder


@contextmanager
def unpacked(workspace: Workspace) -> Iterator[Path]:
    """A folder with the files of `workspace` as they are now, gone after the block."""
    with folder_of(workspace.slug, queries.read(workspace)) as folder:
        yield folder


def load(workspace: Workspace) -> Problem:
    """The problem that the files make. Paths in it are gone by the time of reading.

    Raises:
        problems.faults.PackageInvalid: with every fault of the package.
    """
    with unpacked(workspace) as folder:
        return load_problem(folder)
