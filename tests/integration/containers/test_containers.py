"""Tests behaviour of containers only. The tests in tests/integration/sandbox run on both backends."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.containers.backend import Containers
from sandbox.containers.container import Container
from sandbox.containers.engine import Known
from sandbox.containers.images import Images
from sandbox.containers.orphans import OWNER_LABEL
from sandbox.spec import Command, Completion, Limits, Termination
from sandbox.watch import WatchedProcess
from testing.services import kill_worker, need, started_engine, started_worker, stop_engine

pytestmark = pytest.mark.integration

LIMITS = Limits(wall_s=30, cpu_s=10, memory_mib=128, processes=16, tmpfs_mib=8)


def shell(backend: Containers, script: str, limits: Limits = LIMITS) -> Completion:
    process = backend.start(Command(("/bin/sh", "-c", script), limits))
    try:
        return process.wait(60)
    finally:
        process.close()


def asleep(backend: Containers, label: str = "job") -> WatchedProcess:
    return backend.start(Command(("/bin/sleep", "4713"), LIMITS, label=label))


def container_of(process: WatchedProcess) -> str:
    assert isinstance(process._running, Container)
    return process._running.container


def until(true: Callable[[], object], patience_s: float = 20) -> None:
    deadline = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def known(backend: Containers, label: str) -> list[Known]:
    found = backend._engine.containers(OWNER_LABEL)
    return [container for container in found if container.labels["warpcourt.label"] == label]


# Privileges and what can be written, beyond what the shared tests look at.


def test_little_can_be_written(containers: Containers) -> None:
    """Besides the folders with quotas: queues that are the container's own, and harmless devices."""
    script = "find / -xdev -not -path '/proc/*' -writable 2>/dev/null; find /dev -writable; true"
    said = shell(containers, script).stdout.decode().split()
    allowed = {"/tmp", "/work", "/dev/shm", "/dev/mqueue"}
    allowed |= {f"/dev/{name}" for name in ("full", "null", "ptmx", "random", "tty", "urandom", "zero")}
    links = {path for path in said if path.startswith(("/dev/fd", "/dev/std", "/dev/pts", "/dev/core"))}
    assert set(said) - links - allowed <= {"/.warpcourt/socket"}


def test_nobody_listens_on_the_socket_any_more(containers: Containers) -> None:
    script = (
        "import socket\n"
        "try:\n"
        "    socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect('/.warpcourt/socket')\n"
        "except OSError as error:\n"
        "    print(type(error).__name__)\n"
    )
    process = containers.start(Command(("/usr/bin/python3", "-I", "-S", "-c", script), LIMITS))
    completion = process.wait(30)
    process.close()
    assert completion.stdout == b"ConnectionRefusedError\n"


def test_the_engine_is_out_of_reach(containers: Containers) -> None:
    said = shell(containers, "ls -d /run /var /run/docker.sock /var/run/docker.sock; mount").stdout.decode()
    assert "docker.sock" not in said
    assert "/run/" not in said.replace("/.warpcourt", "")


def test_enter_cannot_be_harmed(containers: Containers) -> None:
    """Its limits, its priority and its life are not the program's, which has the same id."""
    script = """
        import os, resource, signal
        for act in (
            lambda: resource.prlimit(1, resource.RLIMIT_CPU, (0, 0)),
            lambda: open("/proc/1/mem", "rb"),
            lambda: open("/proc/1/oom_score_adj", "w"),
            lambda: os.readlink("/proc/1/fd/3"),
        ):
            try:
                act()
                print("done")
            except OSError as error:
                print(error.errno)
        for number in range(1, 65):
            try:
                os.kill(1, number)
            except OSError:
                pass
        print(os.path.exists("/proc/1"), flush=True)
        os._exit(7)
    """
    source = "\n".join(line.removeprefix(" " * 8) for line in script.splitlines())
    process = containers.start(Command(("/usr/bin/python3", "-I", "-S", "-c", source), LIMITS))
    completion = process.wait(30)
    process.close()
    assert completion.stdout == b"1\n13\n13\n13\nTrue\n"
    assert (completion.ending, completion.status) == (Termination.EXITED, 7)


def test_what_the_engine_shows_holds_no_secret(containers: Containers) -> None:
    command = Command(("/bin/sleep", "30"), LIMITS, files={"source": b"do-not-leak"}, label="job-5-1 run")
    process = containers.start(replace(command, environment={"TOKEN": "do-not-leak"}))
    try:
        (container,) = known(containers, "job-5-1 run")
        api = containers._engine._connected()
        shown = api.inspect_container(container.id)
        assert "do-not-leak" not in json.dumps(shown)
        assert shown["Name"].startswith("/job-5-1-run-")
        assert "do-not-leak" not in Path(f"/proc/{process.pids[0]}/environ").read_text()
    finally:
        process.close()


def test_the_memory_of_a_waiting_container_is_changed_only_if_it_differs(
    containers: Containers, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(containers._engine, "limit_memory", lambda _, cap: asked.append(cap))
    process = asleep(containers)
    process.begin(LIMITS)
    process.begin(replace(LIMITS, memory_mib=64))
    process.close()
    assert asked == [64 << 20]


def test_processes_are_seen_on_the_host(containers: Containers) -> None:
    process = asleep(containers)

    def names() -> list[str]:
        return [Path(f"/proc/{pid}/comm").read_text().strip() for pid in process.pids]

    try:
        until(lambda: names() == ["enter", "sleep"])  # the second is `enter` too until it becomes the program
    finally:
        process.close()
    assert process.pids == ()


# What can go wrong with the engine.


def test_a_runtime_that_the_engine_lacks_is_refused(docker_engine: str | None, tmp_path: Path) -> None:
    backend = Containers(Images.host(), "runsc", directory=tmp_path, engine=docker_engine)
    with pytest.raises(IsolationUnavailable, match="no runtime 'runsc'"):
        backend.verify()


def test_a_container_that_somebody_kills_is_not_the_programs_fault(containers: Containers) -> None:
    process = asleep(containers)
    containers._engine.kill(container_of(process))
    with pytest.raises(IsolationUnavailable, match="ended from outside"):
        process.wait(30)
    process.close()
    assert shell(containers, "echo fine").stdout == b"fine\n"


def test_an_engine_that_restarts_loses_its_containers_and_nothing_else(tmp_path: Path) -> None:
    backend = Containers(
        Images.host(), directory=tmp_path / "own", engine=started_engine(tmp_path / "engine")
    )
    try:
        backend.verify()
        process = asleep(backend, "before")
        stop_engine(tmp_path / "engine")
        with pytest.raises(IsolationUnavailable, match=r"did not answer|from outside"):
            process.wait(60)
        process.close()
        with pytest.raises(IsolationUnavailable, match="did not answer"):
            asleep(backend)
        started_engine(tmp_path / "engine")
        assert shell(backend, "echo fine").stdout == b"fine\n"
    finally:
        backend.close()
        stop_engine(tmp_path / "engine")


def test_the_containers_of_a_killed_worker_are_reaped(
    containers: Containers, docker_engine: str | None
) -> None:
    script = (
        "import time\n"
        "from pathlib import Path\n"
        "from sandbox.containers.backend import Containers\n"
        "from sandbox.containers.images import Images\n"
        "from sandbox.spec import Command, Limits\n"
        f"backend = Containers(Images.host(), directory=Path({str(containers._directory)!r}),"
        f" engine={docker_engine!r})\n"
        "limits = Limits(wall_s=60, cpu_s=60, memory_mib=64)\n"
        "kept = [backend.start(Command(('/bin/sleep', '4714'), limits, label='lost')) for _ in range(2)]\n"
        "print('started', flush=True)\n"
        "time.sleep(60)\n"
    )
    worker = started_worker(script)
    mine = asleep(containers, "mine")
    try:
        assert containers.reap() == 0
        kill_worker(worker)
        until(lambda: not any(container.running for container in known(containers, "lost")))
        assert len(known(containers, "lost")) == 2
        assert containers.reap() == 2
        assert known(containers, "lost") == []
        assert known(containers, "mine") != []
        assert containers.reap() == 0
    finally:
        mine.close()


def test_ids_can_be_spread_over_a_range(docker_engine: str | None, tmp_path: Path) -> None:
    identities = range(70_000, 70_400)
    backend = Containers(Images.host(), directory=tmp_path, identities=identities, engine=docker_engine)
    seen = {int(shell(backend, "id -u").stdout) for _ in range(5)}
    backend.close()
    assert len(seen) > 1
    assert seen <= set(identities)


def test_many_at_a_time_all_come_and_go(containers: Containers) -> None:
    need((os.cpu_count() or 1) > 1, "a second processor", "use a machine with two")
    processes = [containers.start(Command(("/bin/sh", "-c", f"exit {n}"), LIMITS)) for n in range(12)]
    assert [process.wait(60).status for process in processes] == list(range(12))
    for process in processes:
        process.close()
