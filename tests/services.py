"""What a test needs from the machine."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.containers.engine import Engine

ROOT = Path(__file__).resolve().parents[1]
_STOP_S = 30.0


def need(available: bool, what: str, fix: str) -> None:
    """Skip the test when `what` is missing, or fail it when `CI` is set. `fix` says how to get it."""
    if available:
        return
    reason = f"{what} is missing: {fix}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextlib.contextmanager
def container_engine(folder: Path) -> Iterator[str | None]:
    """The address of an engine, None for this host's own: one that answers, else a new one in `folder`.

    Processes that test side by side share it: the last one of its users stops what was started.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock, (folder / "users").open("w") as users:
        with _locked(lock):
            address = None if answers(None) else started_engine(folder)
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield address
        finally:
            with _locked(lock), contextlib.suppress(BlockingIOError):
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                stop_engine(folder)


@contextlib.contextmanager
def _locked(lock: TextIO) -> Iterator[None]:
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(lock, fcntl.LOCK_UN)


def answers(address: str | None) -> bool:
    """Whether an engine is there."""
    engine = Engine(address)
    try:
        engine.facts()
    except IsolationUnavailable:
        return False
    finally:
        engine.close()
    return True


def started_engine(folder: Path) -> str:
    """Start an engine in `folder`, unless it runs, and return its address."""
    need(shutil.which("dockerd") is not None, "a container engine", "apt-get install docker.io")
    need(os.geteuid() == 0, "a container engine", "start one, or run the tests as root")
    argv = [str(ROOT / "deploy" / "start-docker"), str(folder)]
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    need(done.returncode == 0, "a container engine", done.stderr)
    return f"unix://{folder}/docker.sock"


def stop_engine(folder: Path) -> None:
    """Stop the engine of `folder` and wait until it is gone; nothing happens if there is none."""
    pid_file = folder / "docker.pid"
    if not pid_file.exists():
        return
    engine = Path("/proc", pid_file.read_text().strip())
    deadline = time.monotonic() + _STOP_S
    with contextlib.suppress(OSError):  # it is gone
        if (engine / "comm").read_text() == "dockerd\n":
            os.kill(int(engine.name), signal.SIGTERM)
        while (engine / "comm").read_text() == "dockerd\n" and time.monotonic() < deadline:
            time.sleep(0.05)
