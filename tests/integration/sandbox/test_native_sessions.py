"""Tests timed sessions of the native library with a fake driver: queued calls, errors of the device."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from testing.services import need

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
LIBRARY = ROOT / "sandbox" / "runner" / "timed_session.cpp"
HEAD = """\
import ctypes, functools, sys, threading
from judge.clock.page import ClockOrders, OrderUnanswered, create_page
from sandbox.runner.timed_session import NativeSession
from sandbox.wire import FLAGS_BYTES, Flags

flags = (ctypes.c_uint64 * (FLAGS_BYTES // 8))()
page, made, failures = create_page(), [], []
calls = [functools.partial(made.append, number) for number in range(2)]

def played(play):
    def guarded():
        try:
            with ClockOrders(page, lambda: None) as orders:
                play(orders)
        except BaseException as error:
            failures.append(error)
    thread = threading.Thread(target=guarded, daemon=True)
    thread.start()
    NativeSession(sys.argv[1]).serve(page, calls, ctypes.addressof(flags))
    thread.join(60)
    if failures:
        raise failures[0]
"""
QUEUED = """
@played
def play(orders):
    for argument_set in (1, 0):
        number = orders.give(argument_set=argument_set, queued=True)
        assert not orders.await_queued(timeout_s=0.05)
        assert len(made) == number - 1 and flags[Flags.DONE // 8] == number - 1
        flags[Flags.GO // 8] = number
        orders.await_done(timeout_s=60)
        assert flags[Flags.DONE // 8] == number
    orders.end()
assert made == [1, 0]
"""
CALLED = """
@played
def play(orders):
    orders.give(argument_set=1, queued=False)
    assert not orders.await_queued(timeout_s=0.05)
    orders.open()
    orders.await_done(timeout_s=60)
    assert flags[Flags.DONE // 8] == 1
    orders.end()
assert made == [1]
"""
REFUSED = """
@played
def play(orders):
    orders.give(argument_set=0, queued=True)
    flags[Flags.GO // 8] = 1
    try:
        orders.await_done(timeout_s=1)
    except OrderUnanswered:
        return
    raise AssertionError("it was done")
print(made)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the fake driver and the library."""
    need(shutil.which("g++") is not None, "g++", "apt-get install g++")
    folder = tmp_path_factory.mktemp("native-session")
    for source, target in ((HERE / "fake_driver.cpp", "libcuda.so.1"), (LIBRARY, "timed_session.so")):
        flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra"]
        subprocess.run(["g++", *flags, str(source), "-o", str(folder / target), "-ldl"], check=True)
    return folder


def run(built: Path, script: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", HEAD + script, str(built / "timed_session.so")],
        cwd=ROOT,
        env={**os.environ, "LD_LIBRARY_PATH": str(built), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("script", [QUEUED, CALLED], ids=["queued", "called"])
def test_a_call_comes_between_go_and_done(built: Path, script: str) -> None:
    done = run(built, script)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("function", "made"),
    [
        ("cuStreamWaitValue64_v2", "[]"),
        ("cuStreamWriteValue64_v2", "[0]"),
        ("cuCtxSynchronize", "[0]"),
    ],
)
def test_an_error_of_the_device_ends_the_session_without_an_exception(
    built: Path, function: str, made: str
) -> None:
    """The next call that waits for the device gets the error again, and explains it."""
    done = run(built, REFUSED, FAKE_CUDA_FAILS=function, FAKE_CUDA_ERROR="700")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == made


def test_a_driver_without_what_a_session_needs_is_our_fault(built: Path, tmp_path: Path) -> None:
    (tmp_path / "libcuda.so.1").write_bytes(b"not a library")
    done = run(built, QUEUED, LD_LIBRARY_PATH=str(tmp_path))
    assert done.returncode == 70
    assert "driver is too old" in done.stderr
