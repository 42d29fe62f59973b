"""Tests the limit on the total memory of a sandbox's processes on hosts without control groups."""

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import seccomp
from sandbox.bubblewrap import Bubblewrap
from sandbox.spec import Calls, Completion, Limits, Termination
from testing.services import need
from tests.integration.sandbox.conftest import SYSTEM_PYTHON, Sandbox

pytestmark = pytest.mark.integration

LIMITS = Limits(wall_s=30, cpu_s=20, memory_mib=128, processes=32, tmpfs_mib=512, file_mib=512)
HOLD = "\nimport time\ntime.sleep(20)\n"


@pytest.fixture
def uncounted(bubblewrap: Bubblewrap) -> Sandbox:
    """Bubblewrap as on a host that lets it make no control groups."""
    need(SYSTEM_PYTHON.exists(), "a system Python", "apt-get install python3-minimal")
    backend = Bubblewrap()
    backend._found = replace(
        backend._host(), hierarchy=None, filter_programs={Calls.USUAL: seccomp.filter_program(uncounted=True)}
    )
    return Sandbox(backend, 65534, "Bubblewrap()")


def run(sandbox: Sandbox, script: str) -> Completion:
    return sandbox.python(script, limits=LIMITS)


BOMBS = {
    "of its own": "held = [bytearray(1 << 20) for _ in range(160)]" + HOLD,
    "of many processes": """
        import os, time
        for _ in range(4):
            if os.fork() == 0:
                held = [bytearray(1 << 20) for _ in range(48)]
                time.sleep(20)
        time.sleep(20)
    """,
    "shared without a file": """
        import mmap, time
        held = []
        for _ in range(40):
            held.append(mmap.mmap(-1, 8 << 20))
            held[-1].write(bytes(8 << 20))
        time.sleep(20)
    """,
    "shared by way of a device": """
        import mmap, os, time
        held = [mmap.mmap(os.open("/dev/zero", os.O_RDWR), 8 << 20) for _ in range(40)]
        for each in held:
            each.write(bytes(8 << 20))
        time.sleep(20)
    """,
    "shared and given back in appearance": """
        import mmap, time
        held = []
        for _ in range(40):
            held.append(mmap.mmap(-1, 8 << 20))
            held[-1].write(bytes(8 << 20))
            held[-1].madvise(mmap.MADV_DONTNEED)
        time.sleep(20)
    """,
    "written by a child that has gone": """
        import mmap, os, time
        held = [mmap.mmap(-1, 8 << 20) for _ in range(40)]
        if os.fork() == 0:
            for each in held:
                each.write(bytes(8 << 20))
            os._exit(0)
        os.wait()
        time.sleep(20)
    """,
    "in files": """
        import time
        for folder in ("/tmp", "/work", "/dev/shm"):
            with open(f"{folder}/held", "wb") as file:
                file.write(bytes(64 << 20))
        time.sleep(20)
    """,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_killed(uncounted: Sandbox, bomb: str) -> None:
    completion = run(uncounted, BOMBS[bomb])
    assert completion.ending is Termination.MEMORY, completion.stderr
    assert completion.peak_memory_bytes is not None
    assert completion.peak_memory_bytes > LIMITS.memory_mib << 20


def test_memory_that_forks_have_in_common_counts_once(uncounted: Sandbox) -> None:
    completion = run(
        uncounted,
        """
        import os, time
        held = [bytearray(1 << 20) for _ in range(64)]
        children = []
        for _ in range(4):
            if (child := os.fork()) == 0:
                time.sleep(1)
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        print("done")
        """,
    )
    assert (completion.ending, completion.stdout) == (Termination.EXITED, b"done\n")


def test_memory_that_is_given_back_does_not_count(uncounted: Sandbox) -> None:
    completion = run(
        uncounted,
        """
        import mmap
        for _ in range(40):
            with mmap.mmap(-1, 8 << 20) as shared, open("/tmp/file", "wb") as file:
                shared.write(bytes(8 << 20))
                file.write(bytes(8 << 20))
            own = bytearray(8 << 20)
        print("done")
        """,
    )
    assert (completion.ending, completion.stdout) == (Termination.EXITED, b"done\n")


def test_memory_that_nobody_maps_cannot_be_had(uncounted: Sandbox) -> None:
    completion = run(
        uncounted,
        """
        import ctypes, os
        try:
            os.memfd_create("held")
        except OSError as error:
            print(error.errno)
        libc = ctypes.CDLL(None, use_errno=True)
        print(libc.shmget(0, 1 << 20, 0o1600), ctypes.get_errno())
        """,
    )
    assert completion.stdout.split() == [f"{number}".encode() for number in (errno.ENOSYS, -1, errno.ENOSYS)]


def test_the_kernel_kills_a_sandbox_first_when_the_host_has_no_memory_left(bubblewrap: Bubblewrap) -> None:
    completion = Sandbox(bubblewrap, 65534, "Bubblewrap()").shell(
        "cat /proc/self/oom_score_adj; echo -1000 > /proc/self/oom_score_adj || echo no"
    )
    assert completion.stdout == b"1000\nno\n"
    assert int(Path("/proc/self/oom_score_adj").read_text()) < 1000
