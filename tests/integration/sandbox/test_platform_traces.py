"""Tests on every backend what a program leaves behind, and when a sandbox ends."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backend import IsolationUnavailable
from sandbox.containers.backend import Containers
from sandbox.containers.orphans import OWNER_LABEL, Owner, orphans
from sandbox.spec import Bind, Limits, Termination
from testing.services import ROOT, kill_worker, started_worker
from tests.integration.sandbox.conftest import LIMITS, Sandbox

pytestmark = pytest.mark.integration

# what `Sandbox.remake` needs
IMPORTS = (
    "from pathlib import Path\n"
    "from sandbox.bubblewrap import Bubblewrap\n"
    "from sandbox.containers.backend import Containers\n"
    "from sandbox.containers.images import Images\n"
)


def test_survivors_die_with_the_sandbox(sandbox: Sandbox) -> None:
    before = _sleepers()
    completion = sandbox.shell("setsid sleep 4711 & (setsid setsid sleep 4711 &) ; exit 7")
    assert (completion.ending, completion.status) == (Termination.EXITED, 7)
    assert _sleepers() == before


def test_close_ends_a_running_program(sandbox: Sandbox) -> None:
    before = _sleepers()
    process = sandbox.start("/bin/sh", "-c", "trap '' TERM INT HUP; setsid sleep 4711 & sleep 4711")
    process.close()
    process.close()
    assert process.wait(0).ending is Termination.KILLED
    assert _sleepers() == before


def _sleepers() -> int:
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return listing.count("sleep 4711")


def test_many_runs_leave_nothing(sandbox: Sandbox) -> None:
    in_separate_process(sandbox, "many_runs")


def test_a_failed_start_leaves_nothing(sandbox: Sandbox) -> None:
    in_separate_process(sandbox, "failed_starts")


def in_separate_process(sandbox: Sandbox, function: str) -> None:
    """Call a function of this module in a process that does nothing else.

    Warm pools and other tests open and close descriptors in the background of this process.
    """
    script = (
        f"{IMPORTS}"
        "from tests.integration.sandbox import conftest, test_platform_traces\n"
        f"sandbox = conftest.Sandbox({sandbox.remake}, {sandbox.identity}, {sandbox.remake!r})\n"
        f"test_platform_traces.{function}(sandbox)\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr


def many_runs(sandbox: Sandbox) -> None:
    sandbox.backend.verify()
    for channel in (True, False):  # the first run of each kind may open what stays open
        sandbox.run("/bin/true", channel=channel, collect={"x": 1})
    sandbox.settle()
    before = descriptors()
    for index in range(200 if sandbox.backend.name == "bubblewrap" else 60):
        completion = sandbox.run("/bin/true", channel=index % 2 == 0, collect={"x": 1})
        assert (completion.ending, completion.status) == (Termination.EXITED, 0)
    sandbox.settle()
    assert descriptors() == before, (before, descriptors())
    assert zombies() == 0
    if isinstance(sandbox.backend, Containers):
        label = Owner.current().label()
        assert list(sandbox.backend._engine.containers(f"{OWNER_LABEL}={label}")) == []
        assert list(sandbox.backend._host().sockets.iterdir()) == []
    elif (hierarchy := sandbox.backend._host().hierarchy) is not None:
        assert list(hierarchy.folders["pids"].glob(f"{os.getpid()}-*")) == []


def failed_starts(sandbox: Sandbox) -> None:
    sandbox.backend.verify()
    sandbox.run("/bin/true", channel=True)
    sandbox.settle()
    before = descriptors()
    for _ in range(5):
        with pytest.raises(IsolationUnavailable, match=r"Can't find source path|source path does not exist"):
            sandbox.run("/bin/true", channel=True, binds=(Bind(Path("/no/such/path"), "/x"),))
    sandbox.settle()
    assert descriptors() == before, (before, descriptors())


def descriptors() -> list[str]:
    """Return what each open descriptor of this process refers to, without numbers of sockets and pipes."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the folder itself, which is closed again
            found.append(str(link.readlink()).split(":")[0])
    return sorted(found)


def zombies() -> int:
    listing = subprocess.run(["ps", "-eo", "ppid,stat"], capture_output=True, text=True, check=True).stdout
    processes = [line.split() for line in listing.splitlines()]
    return sum(state.startswith("Z") for parent, state in processes if parent == str(os.getpid()))


def test_it_dies_with_the_process_that_started_it(sandbox: Sandbox) -> None:
    script = (
        f"{IMPORTS}"
        "import time\n"
        "from sandbox.spec import Command, Limits\n"
        "limits = Limits(wall_s=60, cpu_s=60, memory_mib=64)\n"
        f"process = {sandbox.remake}.start(Command(('/bin/sleep', '4712'), limits))\n"
        "print('started', flush=True)\n"
        "time.sleep(60)\n"
    )
    kill_worker(started_worker(script))
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        if "sleep 4712" not in listing:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the sandbox outlived its worker")
    sandbox.backend.verify()  # removes what is left of the dead: a control group, a container
    if isinstance(sandbox.backend, Containers):
        assert list(orphans(sandbox.backend._engine)) == []


def test_it_starts_fast(sandbox: Sandbox) -> None:
    """A generous bound for a shared machine; benchmarks have the real figure."""
    times_ms = []
    for _ in range(20):
        began = time.monotonic()
        process = sandbox.start("/bin/true")
        times_ms.append((time.monotonic() - began) * 1000)
        process.close()
    assert sorted(times_ms)[5] < (60 if sandbox.backend.name == "bubblewrap" else 600)


def test_limits_count_from_begin(sandbox: Sandbox) -> None:
    generous = Limits(wall_s=60, cpu_s=60, memory_mib=256)
    process = sandbox.start("/bin/sh", "-c", "while :; do :; done", limits=generous)
    try:
        time.sleep(1)
        process.begin(replace(generous, cpu_s=0.5))
        completion = process.wait(20)
    finally:
        process.close()
    assert completion.ending is Termination.CPU_TIME
    assert 0.5 <= completion.cpu_s < 2


def test_begin_caps_memory(sandbox: Sandbox) -> None:
    process = sandbox.start("/bin/sh", "-c", "sleep 1; head -c 100M /dev/zero | tail", limits=LIMITS)
    try:
        process.begin(replace(LIMITS, memory_mib=32))
        completion = process.wait(30)
    finally:
        process.close()
    assert completion.peak_memory_bytes is not None
    assert completion.peak_memory_bytes <= 32 << 20
