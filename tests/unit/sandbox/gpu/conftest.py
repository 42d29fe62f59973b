"""Fixtures for tests of GPU sharing."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A directory with a name short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="wct"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def control_program(short_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A stand-in for nvidia-cuda-mps-control. It has the same name, because the name identifies processes.

    The code under test believes that it runs as root, which the real program needs.
    """
    monkeypatch.setattr("os.geteuid", lambda: 0)
    program = short_path / "nvidia-cuda-mps-control"
    program.write_text(f"#!{sys.executable} -IS\n{Path(__file__).with_name('mps_stand_in.py').read_text()}")
    program.chmod(0o755)
    return str(program)
