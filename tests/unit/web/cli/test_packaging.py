"""Tests that `pip install .` installs the command without the site."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_command_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "warpcourt/app.py" in names
    assert all(name.startswith(("warpcourt/", "warpcourt-")) for name in names)
    entry = next(name for name in names if name.endswith("entry_points.txt"))
    assert "warpcourt = warpcourt.app:main" in zipfile.ZipFile(wheel).read(entry).decode()


def test_it_runs_outside_a_checkout_and_brings_no_django(wheel: Path, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(wheel)!r}); import warpcourt.app; "
        "assert not {'django', 'web', 'judge'} & set(sys.modules); sys.argv = ['warpcourt', '--help']; "
        "warpcourt.app.main()"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "submit" in done.stdout
