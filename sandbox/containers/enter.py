"""Builds the first process of containers, `enter.c`, once per host."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from sandbox.backend import IsolationUnavailable

_SOURCE = Path(__file__).with_name("enter.c")
_FLAGS = ("-std=c11", "-Os", "-Wall", "-Wextra", "-static", "-s")
_TIMEOUT_S = 60.0


def build_enter(folder: Path) -> Path:
    """Build the program in `folder`, under a hash of its source.

    Raises IsolationUnavailable if that fails.
    """
    digest = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]
    program = folder / f"enter-{digest}"
    if program.exists():
        return program
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise IsolationUnavailable(
            "no C compiler for the first process of containers; run: apt-get install gcc"
        )
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        new = Path(scratch) / "enter"
        argv = [compiler, *_FLAGS, "-o", str(new), str(_SOURCE)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        if done.returncode != 0:
            raise IsolationUnavailable(
                f"{_SOURCE.name} does not compile; run: apt-get install gcc libc6-dev; it said: {done.stderr}"
            )
        new.chmod(0o755)
        os.replace(new, program)  # noqa: PTH105 - atomic, even if another process builds it now
    return program
