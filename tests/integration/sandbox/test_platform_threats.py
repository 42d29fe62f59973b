"""Hostile programs against the platform: each THREATS row that applies without a GPU, on every backend."""

import ast
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.launched import Launched
from sandbox.spec import Bind, Command, Termination
from sandbox.watch import WatchedProcess
from tests.integration.sandbox.conftest import LIMITS, Sandbox

pytestmark = pytest.mark.integration

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def host_socket() -> Iterator[str]:
    """An abstract Unix socket that listens on the host, where any local process may connect."""
    with socket.socket(socket.AF_UNIX) as listener:
        name = f"\0warpcourt-test-{os.getpid()}"
        listener.bind(name)
        listener.listen()
        yield name[1:]


# Row 1: egress, DNS, cloud metadata, host sockets.


def test_there_is_no_network(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import socket
        for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, 40):
            try:
                socket.socket(family, socket.SOCK_DGRAM if family != 40 else socket.SOCK_STREAM)
                print("made", family)
            except OSError as error:
                print(error.errno)
        for target in ("example.org", "169.254.169.254", "localhost"):
            try:
                socket.create_connection((target, 80), timeout=2)
                print("connected", target)
            except OSError as error:
                print(type(error).__name__)
        """
    )
    assert b"made" not in completion.stdout
    assert b"connected" not in completion.stdout
    assert completion.stdout.count(b"\n") == 8


def test_sockets_of_the_host_are_out_of_reach(sandbox: Sandbox, host_socket: str) -> None:
    completion = sandbox.python(
        f"""
        import os, socket
        try:
            socket.socket(socket.AF_UNIX).connect("\\0{host_socket}")
            print("connected")
        except OSError as error:
            print(type(error).__name__)
        print(os.path.exists("/var/run"), os.path.exists("/run"))
        """
    )
    assert completion.stdout == b"ConnectionRefusedError\nFalse False\n"


# Row 2: secrets.


def test_nothing_of_the_host_shows(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPCOURT_SECRET_KEY", "do-not-leak")
    places = [
        "/home",
        "/etc/shadow",
        "/var/run/docker.sock",
        str(REPOSITORY),
        "/proc/sys/kernel/core_pattern",
    ]
    completion = sandbox.python(
        f"""
        import os
        print(dict(os.environ))
        for place in {places!r}:
            try:
                print(place, os.listdir(place) if os.path.isdir(place) else open(place, "r+"))
            except OSError as error:
                print(type(error).__name__)
        print(sorted(os.listdir("/")), sorted(os.listdir("/etc")))
        print(sorted(name for name in os.listdir("/proc") if name.isdigit()))
        """,
        environment={"ASKED": "yes"},
    )
    environment, *denied, tree, processes = completion.stdout.decode().splitlines()
    assert environment == "{'ASKED': 'yes', 'LC_CTYPE': 'C.UTF-8'}"  # Python's own addition
    assert all(line.endswith("Error") for line in denied)
    assert len(denied) == len(places)
    assert "home" not in tree
    assert "shadow" not in tree
    init, _program = ast.literal_eval(processes)
    assert init == "1"


def test_the_command_line_of_the_sandbox_holds_no_environment(sandbox: Sandbox) -> None:
    process = sandbox.start("/bin/sleep", "5", environment={"TOKEN": "do-not-leak"})
    try:
        listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, check=True).stdout
        assert b"do-not-leak" not in listing
    finally:
        process.close()


# Row 3: identity, privileges, a read-only root, quotas, nothing persists.


def test_the_program_is_nobody_and_stays_so(sandbox: Sandbox) -> None:
    said = sandbox.shell("cat /proc/self/status; hostname").stdout.decode()
    status = dict(line.split(":\t", 1) for line in said.splitlines() if ":\t" in line)
    assert status["Uid"].split() == status["Gid"].split() == [str(sandbox.identity)] * 4
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    assert said.endswith("sandbox\n")


def test_the_program_has_an_id_of_its_own_outside(bubblewrap: Bubblewrap) -> None:
    if bubblewrap.weaknesses:
        pytest.skip("ids are mapped as root only")
    first, second = (bubblewrap.start(Command(("/bin/sleep", "20"), LIMITS)) for _ in range(2))
    try:
        owners = {_owner_of_program(process) for process in (first, second)}
        assert len(owners) == 2
        assert all(owner >= 0x7000_0000 for owner in owners)
    finally:
        first.close()
        second.close()


def _owner_of_program(process: WatchedProcess) -> int:
    assert isinstance(process._running, Launched)
    group = process._running.group.folders["pids"]
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for member in (group / "cgroup.procs").read_text().split():
            if Path(f"/proc/{member}/comm").read_text() == "sleep\n":
                return Path(f"/proc/{member}").stat().st_uid
    raise AssertionError("no program")


def test_only_the_quota_can_be_written(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import os
        for folder in ("/", "/usr", "/usr/bin", "/etc", "/dev", "/proc", "/bind"):
            try:
                open(f"{folder}/x", "w")
                print("wrote", folder)
            except OSError:
                pass
        for folder in ("/tmp", "/work", "/dev/shm"):
            try:
                for index in range(1000):
                    with open(f"{folder}/{index}", "wb") as file:
                        file.write(bytes(1 << 20))
            except OSError as error:
                print(folder, error.errno, index)
        """,
        binds=(Bind(REPOSITORY / "sandbox", "/bind"),),
    )
    assert completion.stdout == b"/tmp 28 8\n/work 28 7\n/dev/shm 28 8\n"


def test_nothing_persists(sandbox: Sandbox) -> None:
    sandbox.shell("echo x > /tmp/a; echo x > /work/b; echo x > /dev/shm/c")
    assert sandbox.shell("ls -A /tmp /work /dev/shm").stdout == b"/dev/shm:\n\n/tmp:\n\n/work:\n"


# Row 4: bombs.


def test_a_fork_bomb_is_contained(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import os
        made = 0
        try:
            for _ in range(10_000):
                if os.fork() == 0:
                    os.pause() if hasattr(os, "pause") else __import__("time").sleep(60)
                made += 1
        except OSError as error:
            print(made, error.errno)
        """
    )
    made, error = map(int, completion.stdout.split())
    assert made <= LIMITS.processes
    assert error == 11


def test_a_fork_bomb_that_never_stops_ends(sandbox: Sandbox) -> None:
    bomb = "bomb() { bomb | bomb & }; bomb; sleep 60"
    completion = sandbox.shell(bomb, limits=replace(LIMITS, wall_s=3))
    assert completion.ending in {
        Termination.WALL_TIME,
        Termination.CPU_TIME,
        Termination.OUTPUT,
        Termination.EXITED,
    }


def test_a_memory_bomb_is_killed(sandbox: Sandbox) -> None:
    completion = sandbox.python("x = [bytearray(1 << 20) for _ in range(10_000)]")
    assert completion.ending is Termination.MEMORY
    assert completion.peak_memory_bytes is not None
    assert completion.peak_memory_bytes <= LIMITS.memory_mib << 20


def test_shared_memory_counts_too(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import os
        for _ in range(100):
            os.write(os.memfd_create("bomb"), bytes(15 << 20))
        """
    )
    assert completion.ending is Termination.MEMORY


def test_a_descriptor_bomb_meets_its_limit(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import os
        try:
            for made in range(100_000):
                os.dup(0)
        except OSError as error:
            print(made + 3, error.errno)
        """
    )
    assert completion.stdout == f"{LIMITS.descriptors} 24\n".encode()


def test_endless_output_is_cut_and_killed(sandbox: Sandbox) -> None:
    began = time.monotonic()
    completion = sandbox.run("/usr/bin/head", "-c", "10G", "/dev/zero")
    assert completion.ending is Termination.OUTPUT
    assert len(completion.stdout) == LIMITS.output_kib << 10
    assert completion.dropped_bytes > (LIMITS.flood_kib - LIMITS.output_kib) << 10
    assert time.monotonic() - began < 5


def test_much_output_on_both_pipes_does_not_block(sandbox: Sandbox) -> None:
    completion = sandbox.shell("head -c 1M /dev/zero; head -c 1M /dev/zero >&2; exit 3")
    assert (completion.ending, completion.status) == (Termination.EXITED, 3)
    assert len(completion.stdout) == len(completion.stderr) == LIMITS.output_kib << 10
    assert completion.dropped_bytes == (2 << 20) - 2 * (LIMITS.output_kib << 10)


def test_huge_and_sparse_files_are_refused(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import os, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        file = os.open("/work/sparse", os.O_CREAT | os.O_RDWR)
        for act in (lambda: os.truncate(file, 1 << 40), lambda: os.pwrite(file, b"x", 1 << 40)):
            try:
                act()
                print("done")
            except OSError as error:
                print(error.errno)
        """
    )
    assert completion.stdout == b"27\n27\n"


def test_wall_and_processor_time_end(sandbox: Sandbox) -> None:
    assert sandbox.run("/bin/sleep", "60", limits=replace(LIMITS, wall_s=0.5)).ending is Termination.WALL_TIME
    spin = sandbox.shell("while :; do :; done", limits=replace(LIMITS, cpu_s=0.5))
    assert spin.ending is Termination.CPU_TIME
    assert 0.5 <= spin.cpu_s < 2


def test_a_program_that_sleeps_with_all_it_started_ends_early(sandbox: Sandbox) -> None:
    limits = replace(LIMITS, wall_s=60, cpu_s=60, idle_s=1.0)
    for words in (("/bin/sleep", "60"), ("/bin/sh", "-c", "sleep 60 & sleep 60 & wait")):
        completion = sandbox.run(*words, limits=limits)
        assert completion.ending is Termination.IDLE
        assert completion.wall_s < 30


@pytest.mark.parametrize("seconds", ["0.02", "0.7"])
def test_a_program_that_works_at_times_is_not_idle(sandbox: Sandbox, seconds: str) -> None:
    """Above all one that waits for a processor: it is ready to run all the time."""
    work = f"for i in 1 2 3 4; do i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; sleep {seconds}; done"
    completion = sandbox.run("/bin/sh", "-c", work, limits=replace(LIMITS, wall_s=120, cpu_s=60, idle_s=2.5))
    assert (completion.ending, completion.status) == (Termination.EXITED, 0)


def test_processor_time_of_children_counts(sandbox: Sandbox) -> None:
    script = "for i in 1 2 3; do (while :; do :; done) & done; wait"
    assert sandbox.shell(script, limits=replace(LIMITS, cpu_s=1)).ending is Termination.CPU_TIME


# Rows 5 and 15: what the host reads back.


def test_only_plain_files_are_collected(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    names = ("plain", "link", "fifo", "hard", "other", "big", "folder", "in/plain", "up/secret", "device")
    completion = sandbox.shell(
        "echo ok > plain; ln -s /etc/passwd link; mkfifo fifo; echo x > hard; ln hard other; "
        f"head -c 2000 /dev/zero > big; mkdir folder in; echo in > in/plain; ln -s {tmp_path} up; "
        "mknod device c 1 3; true",
        collect=dict.fromkeys(names, 1000),
    )
    assert completion.files == {"plain": b"ok\n", "in/plain": b"in\n"}


def test_a_killed_program_leaves_its_files(sandbox: Sandbox) -> None:
    limits = replace(LIMITS, wall_s=1)
    completion = sandbox.shell("echo part > out; sleep 60", limits=limits, collect={"out": 100})
    assert completion.ending is Termination.WALL_TIME
    assert completion.files == {"out": b"part\n"}


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", ""])
def test_files_go_below_work_only(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(ValueError, match="not a file name below /work"):
        sandbox.run("/bin/true", files={name: b"x"})


# Row 12: channels between two jobs.


def test_two_sandboxes_share_no_channel(sandbox: Sandbox) -> None:
    talker = sandbox.start(
        *("/usr/bin/python3", "-I", "-S", "program.py"),
        files={
            "program.py": b"""
import socket, time
s = socket.socket(socket.AF_UNIX); s.bind("\\0channel"); s.listen()
open("/dev/shm/channel", "w").write("x"); open("/tmp/channel", "w").write("x")
print("set", flush=True); time.sleep(60)
"""
        },
        limits=LIMITS,
    )
    try:
        time.sleep(1)
        completion = sandbox.python(
            """
            import os, socket
            try:
                socket.socket(socket.AF_UNIX).connect("\\0channel")
                print("heard")
            except OSError as error:
                print(type(error).__name__)
            print(os.listdir("/dev/shm"), os.listdir("/tmp"))
            """
        )
    finally:
        talker.close()
    assert completion.stdout == b"ConnectionRefusedError\n[] []\n"


def test_locks_and_watches_on_shared_files_are_refused(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import ctypes, fcntl
        shared = open("/usr/bin/env")
        for act in (lambda: fcntl.flock(shared, fcntl.LOCK_SH), lambda: fcntl.lockf(shared, fcntl.LOCK_SH)):
            try:
                act()
                print("locked")
            except OSError as error:
                print(error.errno)
        print(ctypes.CDLL(None).inotify_init1(0))
        """
    )
    assert completion.stdout == b"37\n37\n-1\n"


def test_system_v_memory_is_private(sandbox: Sandbox) -> None:
    made = sandbox.shell("ipcmk -M 4096 && ipcs -m | grep -c 0x")
    assert made.stdout.endswith(b"1\n")
    assert sandbox.shell("ipcs -m | grep -c 0x").stdout == b"0\n"
