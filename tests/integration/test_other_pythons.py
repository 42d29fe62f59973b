"""Runs the tests of code that reads archives and writes files on every other supported Python.

The security of the site depends on the standard library, which differs between versions: since 3.12,
`zipfile` takes names from a field that 3.11 does not read. `deploy/setup --test` makes the environments.
"""

import os
import subprocess
import sys

import pytest

from deploy import setup
from testing.services import need

pytestmark = pytest.mark.integration

OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
OTHERS = [
    pytest.param(version, marks=pytest.mark.xdist_group(f"python-{version}"))
    for version in setup.PYTHONS
    if version != OWN
]
FOLDERS = ("problems", "web/packages", "worker", "deploy")  # what reads archives, and what writes files
LEFT_OUT = (
    "problems/importing",  # needs PyTorch or Triton, which are not installed for each
    "deploy/test_prose.py",  # reads texts of this repository, and takes longer than all others of its folder
)
# Of this run. `CI` would make what is missing there a fault, and it is not missing here.
NOT_PASSED_ON = ("PYTEST_", "WARPCOURT_", "CI")


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("version", OTHERS)
def test_what_reads_archives_passes_on_every_python(version: str) -> None:
    python = setup.VENV / "pythons" / version / "bin" / "python"
    need(python.exists(), f"Python {version}", "install it, then run deploy/setup --test")
    unit = setup.ROOT / "tests" / "unit"
    done = subprocess.run(
        [
            *(python, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"),
            *(unit / folder for folder in FOLDERS),
            *(f"--ignore={unit / name}" for name in LEFT_OUT),
        ],
        cwd=setup.ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-8000:]}\n{done.stderr[-2000:]}"


def test_the_archives_are_among_them() -> None:
    assert (setup.ROOT / "tests" / "unit" / FOLDERS[0] / "test_archive_names.py").is_file()
