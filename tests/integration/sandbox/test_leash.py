"""Tests that our compilers end with the process that started them."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.leash import Interrupted, LeashedRuns
from testing.services import need

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[3]
# g++ takes minutes for it, in a process of its own.
SLOW = """
constexpr long spin(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i % 7; return s; }
constexpr long x = spin(1L << 60);
"""
FLAGS = ("-std=c++20", "-fconstexpr-ops-limit=1000000000000", "-fconstexpr-loop-limit=2000000000")
PATIENCE_S = 30.0


@pytest.fixture
def argv(tmp_path: Path) -> list[str]:
    need(Path("/usr/bin/g++").exists(), "g++", "apt-get install g++")
    (source := tmp_path / "slow.cpp").write_text(SLOW)
    return ["/usr/bin/g++", *FLAGS, "-c", str(source), "-o", str(tmp_path / "slow.o")]


def running(folder: Path) -> list[str]:
    """The programs whose arguments name a file in `folder`."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if any(word.startswith(str(folder)) for word in words):
            found.append(Path(words[0]).name)
    return found


def await_true(question) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not question():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def nothing_stays(tmp_path: Path) -> Iterator[None]:
    yield
    await_true(lambda: not running(tmp_path))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_compiler_ends_with_the_process_that_started_it(
    tmp_path: Path, argv: list[str], number: signal.Signals
) -> None:
    program = f"from sandbox.leash import LeashedRuns\nLeashedRuns(600).run({argv!r})\n"
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) as parent:
        await_true(lambda: "cc1plus" in running(tmp_path))
        os.kill(parent.pid, number)
    await_true(lambda: not running(tmp_path))


def test_the_compiler_ends_if_it_takes_too_long(argv: list[str]) -> None:
    with LeashedRuns(2) as runs, pytest.raises(subprocess.TimeoutExpired):
        runs.run(argv)


def test_an_interrupted_caller_ends_what_runs_in_threads_and_begins_nothing(
    tmp_path: Path, argv: list[str]
) -> None:
    ended: list[Exception] = []

    def run() -> None:
        try:
            runs.run(argv)
        except Interrupted as error:
            ended.append(error)

    runs = LeashedRuns(600)
    thread = threading.Thread(target=run)
    thread.start()
    await_true(lambda: "cc1plus" in running(tmp_path))
    with pytest.raises(KeyboardInterrupt), runs:
        raise KeyboardInterrupt
    thread.join(PATIENCE_S)
    assert len(ended) == 1
    with pytest.raises(Interrupted):
        runs.run(argv)


def test_a_run_tells_its_status_and_what_it_printed() -> None:
    with LeashedRuns(60) as runs:
        done = runs.run(["/bin/sh", "-c", "echo out; echo err >&2; exit 7"])
        assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "err\n")
        assert runs.run(["/bin/sh", "-c", "kill -9 $$"]).returncode == 128 + signal.SIGKILL
        with pytest.raises(subprocess.CalledProcessError):
            runs.run(["/bin/false"]).check_returncode()
