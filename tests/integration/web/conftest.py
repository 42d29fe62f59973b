"""Real services on free loopback ports: PostgreSQL and Redis, started once per run, gone at its end."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.services import need

READY_S = 20


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], bool], what: str, timeout_s: float = READY_S) -> None:
    """Wait until `condition` holds. Fails the test when it does not."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not happen within {timeout_s} s")
        time.sleep(0.05)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of an empty PostgreSQL database. The server runs as an unprivileged user."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    need(bool(found), "PostgreSQL", "apt-get install postgresql")
    programs = found[-1].parent
    become = unprivileged()
    with tempfile.TemporaryDirectory(prefix="warpcourt-postgres-", ignore_cleanup_errors=True) as folder:
        os.chown(folder, become.get("user", -1), become.get("group", -1))
        port, data = str(free_port()), f"{folder}/data"
        run = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL, **become}
        init = f"{programs}/initdb -D {data} -A trust -U warpcourt -N -E UTF8"
        subprocess.run(init.split(), **run)  # noqa: PLW1510 - `run` has it
        serve = f"{programs}/postgres -D {data} -p {port} -h 127.0.0.1 -k {folder} -F"
        server = subprocess.Popen(serve.split(), stderr=subprocess.DEVNULL, cwd=folder, **become)
        try:
            ready = f"{programs}/pg_isready -q -h 127.0.0.1 -p {port}".split()
            wait_until(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL's start")
            create = f"{programs}/createdb -h 127.0.0.1 -p {port} -U warpcourt warpcourt"
            subprocess.run(create.split(), **run)  # noqa: PLW1510 - `run` has it
            yield f"postgres://warpcourt@127.0.0.1:{port}/warpcourt"
        finally:
            server.terminate()
            server.wait()


def unprivileged() -> dict[str, Any]:
    """Arguments of `subprocess.run` for a user that is not root: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of an empty Redis database."""
    program = shutil.which("redis-server")
    need(program is not None, "Redis", "apt-get install redis-server")
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="warpcourt-redis-") as folder:
        server = subprocess.Popen(
            [str(program), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_until(lambda: answers(port), "Redis's start")
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()
            server.wait()
