"""A folder of packages of a site, and packages as archives."""

from dataclasses import replace
from pathlib import Path

import pytest

from problems.archive import pack
from problems.contents import Contents, read_folder
from tests.unit.problems.packages import FILES, edited, write_package

MORE_CASES = edited("rows = 5, cols = 3", "rows = 7, cols = 3")


def contents(**replaced: str) -> Contents:
    """Return the small package with some files replaced. The names are those of `write_package`."""
    called = {name: name.replace(".", "_").replace("/", "_") for name in FILES}
    return Contents(
        "scale", {name: replaced.get(called[name], text).encode() for name, text in FILES.items()}
    )


def packed(**replaced: str) -> bytes:
    """The small package as an archive."""
    return pack(contents(**replaced))


@pytest.fixture
def site(db, settings, tmp_path: Path) -> Path:
    """The folder of a site's packages, with one package, and a separate data directory."""
    folder = tmp_path / "problems"
    write_package(folder)
    settings.WARPCOURT = replace(settings.WARPCOURT, problems_dir=folder, data_dir=tmp_path / "data")
    return folder


def on_disk(site: Path) -> bytes:
    """The archive of the site's package."""
    return pack(read_folder(site / "scale"))
