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
    user = pwd.getpwnam("postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name)
    become = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="warpcourt-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        os.chown(folder, user.pw_uid, user.pw_gid)
        init = [
            programs / "initdb",
            "-D",
            folder / "data",
            "-A",
            "trust",
            "-U",
            "warpcourt",
            "-N",
            "-E",
            "UTF8",
        ]
        subprocess.run(init, check=True, stdout=subprocess.DEVNULL, cwd=folder, **become)
        port = free_port()
        options = [
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            f"unix_socket_directories={folder}",
            "-c",
            "fsync=off",
        ]
        server = subprocess.Popen(
            [programs / "postgres", "-D", folder / "data", "-p", str(port), *options],
            stderr=subprocess.DEVNULL,
            cwd=folder,
            **become,
        )
        try:
            ready = [programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
            wait_until(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL's start")
            create = [
                programs / "createdb",
                "-h",
                "127.0.0.1",
                "-p",
                str(port),
                "-U",
                "warpcourt",
                "warpcourt",
            ]
            subprocess.run(create, check=True)
            yield f"postgres://warpcourt@127.0.0.1:{port}/warpcourt"
        finally:
            server.terminate()
            server.wait()


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
