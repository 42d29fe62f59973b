"""Starts the services that a test or a check needs, or skips the test if the machine lacks them."""

import contextlib
import fcntl
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.containers.engine import Engine

ROOT = Path(__file__).resolve().parents[1]
_STOP_S = 30.0
READY_S = 20.0


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
    """Return the address of a container engine; None for this host's own engine.

    If this host has no engine, start one in `folder`. Parallel test processes share it; the last process to
    finish stops it.
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
    """Return whether a container engine answers at `address`."""
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
    """Stop the engine of `folder` and wait until it has stopped. Does nothing if there is none."""
    pid_file = folder / "docker.pid"
    if not pid_file.exists():
        return
    engine = Path("/proc", pid_file.read_text().strip())
    deadline = time.monotonic() + _STOP_S
    with contextlib.suppress(OSError):  # the process has already exited
        if (engine / "comm").read_text() == "dockerd\n":
            os.kill(int(engine.name), signal.SIGTERM)
        while (engine / "comm").read_text() == "dockerd\n" and time.monotonic() < deadline:
            time.sleep(0.05)


def free_port() -> int:
    """Return a port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], bool], what: str, timeout_s: float = READY_S) -> None:
    """Wait until `condition` holds. Fails the test when it does not.

    The pause between two checks is twice as long as a check takes. So most of the processor time is left for
    the process that the caller waits for.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        started = time.monotonic()
        if condition():
            return
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not happen within {timeout_s} s")
        time.sleep(max(0.05, 2 * (time.monotonic() - started)))


def listens(port: int) -> bool:
    """Return whether something listens on a loopback port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def postgresql_programs() -> Path | None:
    """Return the folder of the newest PostgreSQL server's programs, None if the machine has none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextlib.contextmanager
def postgresql(*, put_data: Callable[[Path], None] | None = None, keep: Path | None = None) -> Iterator[str]:
    """Yield the URL of a PostgreSQL database. The server runs as an unprivileged user.

    The database is empty by default. `put_data` can provide one: it is called with a path and puts a data
    directory with a database `warpcourt` there. If `keep` is set, the data directory is copied to `keep`
    after the server has stopped.
    """
    programs = postgresql_programs()
    need(programs is not None, "PostgreSQL", "apt-get install postgresql")
    become = unprivileged()
    with tempfile.TemporaryDirectory(prefix="warpcourt-postgres-", ignore_cleanup_errors=True) as folder:
        os.chown(folder, become.get("user", -1), become.get("group", -1))
        port, data = str(free_port()), f"{folder}/data"
        run = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL, **become}
        if put_data is not None:
            put_data(Path(data))
        else:
            init = f"{programs}/initdb -D {data} -A trust -U warpcourt -N -E UTF8"
            subprocess.run(init.split(), **run)  # noqa: PLW1510 - `run` has it
        serve = f"{programs}/postgres -D {data} -p {port} -h 127.0.0.1 -k {folder} -F"
        server = subprocess.Popen(serve.split(), stderr=subprocess.DEVNULL, cwd=folder, **become)
        try:
            ready = f"{programs}/pg_isready -q -h 127.0.0.1 -p {port}".split()
            wait_until(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL's start")
            if put_data is None:
                create = f"{programs}/createdb -h 127.0.0.1 -p {port} -U warpcourt warpcourt"
                subprocess.run(create.split(), **run)  # noqa: PLW1510 - `run` has it
            yield f"postgres://warpcourt@127.0.0.1:{port}/warpcourt"
        finally:
            server.send_signal(signal.SIGINT)  # ends connections that are still open
            server.wait()
        if keep is not None:
            subprocess.run(["cp", "-a", data, str(keep)], check=True)


@contextlib.contextmanager
def redis_server() -> Iterator[str]:
    """Yield the URL of an empty Redis database."""
    program = shutil.which("redis-server")
    need(program is not None, "Redis", "apt-get install redis-server")
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="warpcourt-redis-") as folder:
        server = subprocess.Popen(
            [str(program), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_until(lambda: listens(port), "Redis's start")
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()
            server.wait()


def started_worker(script: str) -> subprocess.Popen[bytes]:
    """Start a process of this checkout that runs `script`. Return it after it has printed `started`."""
    python = ROOT / ".venv" / "bin" / "python"
    worker = subprocess.Popen([python, "-c", script], cwd=ROOT, stdout=subprocess.PIPE)
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"started\n"
    return worker


def kill_worker(worker: subprocess.Popen[bytes]) -> None:
    """Kill the worker immediately, like a crash."""
    worker.kill()
    worker.wait()
    if worker.stdout is not None:
        worker.stdout.close()


def unprivileged() -> dict[str, Any]:
    """Return arguments of `subprocess.run` for an unprivileged user. PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
