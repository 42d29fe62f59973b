"""Hostile programs against the verdict: reach the harness, the parent, other processes, the kernel."""

import os
import platform
from dataclasses import replace

import pytest

from sandbox import seccomp
from sandbox.spec import Termination
from tests.integration.sandbox.conftest import LIMITS, Sandbox

pytestmark = pytest.mark.integration


def test_no_descriptor_is_inherited(sandbox: Sandbox) -> None:
    script = "ls /proc/self/fd | tr '\\n' ' '"  # ls itself opens one more
    leaked = os.dup(0)
    os.set_inheritable(leaked, True)
    try:
        assert sandbox.shell(script).stdout == b"0 1 2 3 "
        assert sandbox.shell(script, channel=True).stdout == b"0 1 2 3 4 "
    finally:
        os.close(leaked)


def test_every_refused_call_is_refused_by_the_kernel(sandbox: Sandbox) -> None:
    column = seccomp._ARCHITECTURES[platform.machine()].column
    refused = {
        name: (numbers[column], refusal.error)
        for refusal in seccomp.rules().refusals
        for name, numbers in refusal.calls.items()
        if numbers[column] is not None
    }
    completion = sandbox.python(
        f"""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        for name, (number, error) in {refused!r}.items():
            ctypes.set_errno(0)
            if libc.syscall(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != error:
                print(name, ctypes.get_errno())
        print("done")
        """
    )
    assert completion.stdout == b"done\n"


def test_calls_that_are_judged_by_an_argument(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import ctypes, fcntl, os, socket, threading
        libc = ctypes.CDLL(None, use_errno=True)
        def says(value):
            print(value if value != -1 else -ctypes.get_errno())
        says(libc.personality(0x0040000))       # ADDR_NO_RANDOMIZE
        says(libc.personality(0xFFFFFFFF))      # the question alone
        for flag in (0x10000000, 0x40000000, 0x00020000):
            says(libc.syscall(56 if os.uname().machine == "x86_64" else 220, flag | 17, 0, 0, 0, 0))
        try:
            fcntl.ioctl(0, 0x5412, b"x")
        except OSError as error:
            print(-error.errno)
        socket.socketpair()
        thread = threading.Thread(target=print, args=("threads work",))
        thread.start(); thread.join()
        print(os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)[1])
        """
    )
    assert completion.stdout.split(b"\n")[:-1] == [b"-1", b"0", *[b"-1"] * 4, b"threads work", b"0"]


def test_init_cannot_be_read_or_killed(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import os, signal
        for name in ("mem", "environ", "maps", "root", "fd"):
            try:
                path = f"/proc/1/{name}"
                print(os.listdir(path) if name in ("root", "fd") else open(path, "rb").read(1))
            except OSError as error:
                print(error.errno)
        for process in (1, os.getppid()):
            try:
                os.kill(process, signal.SIGKILL)
            except OSError as error:
                pass
        print("alive", os.path.exists("/proc/1"))
        """
    )
    *errors, last = completion.stdout.split(b"\n")[:-1]
    if not sandbox.backend.weaknesses:  # with an id of its own, even reading is refused
        assert errors == [b"13"] * 5
    assert last == b"alive True"
    assert (completion.ending, completion.status) == (Termination.EXITED, 0)


def test_killing_everything_ends_only_itself(sandbox: Sandbox) -> None:
    completion = sandbox.shell("kill -9 -1; sleep 30", limits=replace(LIMITS, wall_s=2))
    assert completion.ending in {Termination.SIGNALLED, Termination.WALL_TIME}
    assert sandbox.shell("echo fine").stdout == b"fine\n"


@pytest.mark.parametrize(
    ("source", "ending", "status"),
    [
        ("import os; os._exit(0)", Termination.EXITED, 0),
        ("import os; os.abort()", Termination.SIGNALLED, 6),
        ("import os; os._exit(85)", Termination.EXITED, 85),
        ("import ctypes; ctypes.string_at(0)", Termination.SIGNALLED, 11),
    ],
)
def test_how_it_ends_is_all_that_it_says(
    sandbox: Sandbox, source: str, ending: Termination, status: int
) -> None:
    completion = sandbox.python(source)
    assert (completion.ending, completion.status) == (ending, status)
    assert completion.files == {}


def test_set_user_id_programs_gain_nothing(sandbox: Sandbox) -> None:
    completion = sandbox.shell("find / -xdev -perm -4000 2>/dev/null | head -1; su -c id 2>&1; id -u")
    assert completion.stdout.endswith(f"{sandbox.identity}\n".encode())
    assert b"uid=0" not in completion.stdout


def test_a_program_cannot_become_the_id_of_the_setup(sandbox: Sandbox) -> None:
    completion = sandbox.python(
        """
        import os
        for act in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0])):
            try:
                act()
                print("became")
            except OSError as error:
                print(error.errno)
        """
    )
    assert completion.stdout == b"1\n1\n1\n"
