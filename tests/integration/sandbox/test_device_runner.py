"""Tests the runner for GPUs with a fake driver: its protocol, its protections and its messages."""

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.gpu.runners import build_device_runner, cuda_runner_command
from sandbox.spec import Bind, Command, Limits
from sandbox.toolchain import ToolchainMissing, find_toolkit
from sandbox.wire import ExitStatus, PageOrder, RunFlag
from testing.services import need
from tests.integration.sandbox.talk import Argument, Talk, wait_until

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent
CACHE = HERE.parents[2] / ".cache" / "tests"
LIMITS = Limits(wall_s=60, cpu_s=60, memory_mib=512)
OUR_FAULT = 70
ADD, THROW, BAD_BLOCK, TOO_MUCH_SHARED, LOOP, LEAVE, ABORT, NULL_POINTER, NOTHING, LATE, RECURSE = range(11)
Start = Callable[..., Talk]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the fake driver and the fake artifact."""
    need(shutil.which("g++") is not None, "g++", "apt-get install g++")
    folder = tmp_path_factory.mktemp("fake-device")
    for source, target in (("fake_driver", "libcuda.so.1"), ("fake_artifact", "artifact.so")):
        flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra"]
        argv = ["g++", *flags, str(HERE / f"{source}.cpp"), "-o", str(folder / target)]
        subprocess.run(argv, check=True)
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def command() -> Command:
    try:
        runner = build_device_runner(CACHE, find_toolkit())
    except ToolchainMissing as error:
        need(False, "the toolchain", str(error))
        raise
    plain = cuda_runner_command(runner, limits=LIMITS, gpu=None)
    system = tuple(Bind(Path(p), p) for p in ("/usr", "/lib", "/lib64", "/bin") if Path(p).exists())
    return replace(plain, binds=(*plain.binds, *system))


@pytest.fixture
def start(backend: Bubblewrap, command: Command, built: Path) -> Iterator[Start]:
    """Starts a runner that sees the fake driver."""
    started: list[Talk] = []

    def begin(*, driver: bool = True, **environment: str) -> Talk:
        binds = (*command.binds, Bind(built, "/driver")) if driver else command.binds
        environment = {**command.environment, "LD_LIBRARY_PATH": "/driver", **environment}
        started.append(Talk(backend, replace(command, binds=binds, environment=environment)))
        return started[-1]

    yield begin
    for talk in started:
        talk.close()


@pytest.fixture
def talk(start: Start, built: Path) -> Talk:
    """A runner with the artifact loaded."""
    runner = start()
    assert runner.prepare()
    assert runner.load_files((built / "artifact.so").read_bytes())
    return runner


def arguments(what: int, n: int = 100) -> list[Argument]:
    return [np.arange(n, dtype=np.float32), np.ones(n, np.float32), ("int32", n), ("int32", what)]


def test_computes_on_shared_memory_again_and_again(talk: Talk) -> None:
    for n in (100, 1, 20_000):
        given = arguments(ADD, n)
        assert talk.run(given)
        np.testing.assert_array_equal(given[1], 1 + np.arange(n))
    (finding,) = talk.findings()
    assert (finding["severity"], finding["kind"], finding["kernel"]) == ("note", "launch", "add")
    assert finding["message"] == "add<<<(4,1,1), (256,1,1)>>>"


def test_copies_for_the_sanitizer_come_back(talk: Talk) -> None:
    given = arguments(ADD)
    assert talk.run(given, flags=RunFlag.SANITIZE)
    np.testing.assert_array_equal(given[1], 1 + np.arange(100))


@pytest.mark.parametrize(
    ("what", "status", "kind", "words"),
    [
        (THROW, ExitStatus.RUNTIME_ERROR, "exception", "solve() threw an exception: oh no"),
        (
            BAD_BLOCK,
            ExitStatus.RUNTIME_ERROR,
            "cuda_error",
            "2048 threads per block (2048,1,1); the limit is",
        ),
        (TOO_MUCH_SHARED, ExitStatus.RUNTIME_ERROR, "cuda_error", "the maximum of this GPU is 232448"),
        (LOOP, ExitStatus.TIME_LIMIT, "time_limit", "time limit of 300 ms exceeded in host code"),
        (ABORT, ExitStatus.RUNTIME_ERROR, "host_crash", "host code crashed: abort. It called abort()"),
        (NULL_POINTER, ExitStatus.ILLEGAL_ACCESS, "host_crash", "segmentation fault at address 0x10."),
        (RECURSE, ExitStatus.RUNTIME_ERROR, "stack_overflow", "stack overflow in host code. "),
        (
            700,
            ExitStatus.ILLEGAL_ACCESS,
            "illegal_address",
            "add<<<(4,1,1), (256,1,1), 1024>>> read or wrote",
        ),
        (716, ExitStatus.ILLEGAL_ACCESS, "misaligned", "not a multiple of the size"),
        (717, ExitStatus.ILLEGAL_ACCESS, "address_space", "shared-memory address"),
        (718, ExitStatus.ILLEGAL_ACCESS, "invalid_pc", "without code"),
        (710, ExitStatus.RUNTIME_ERROR, "assert", "failed an assert()"),
        (715, ExitStatus.RUNTIME_ERROR, "trap", "__trap()"),
        (719, ExitStatus.RUNTIME_ERROR, "trap", "__trap()"),
        (2000, ExitStatus.RUNTIME_ERROR, "cuda_error", "an error of a test (cudaErrorOfTest)"),
    ],
)
def test_what_goes_wrong_in_solve(talk: Talk, what: int, status: int, kind: str, words: str) -> None:
    assert not talk.run(arguments(what), time_limit_ms=300 if what == LOOP else 20_000)
    finding = talk.findings()[-1]
    assert finding["kind"] == kind
    assert words in finding["message"]
    assert talk.end().status == status


def test_launching_nothing_is_noted(talk: Talk) -> None:
    assert talk.run(arguments(NOTHING))
    assert talk.findings()[-1]["kind"] == "no_kernel"


def test_a_fault_that_comes_to_light_late_is_said_when_it_leaves(talk: Talk) -> None:
    assert talk.run(arguments(LATE))
    talk.quit()
    completion = talk.end()
    assert talk.findings()[-1]["kind"] == "misaligned"
    assert completion.status == ExitStatus.ILLEGAL_ACCESS


def test_leaving_with_nothing_to_say(talk: Talk) -> None:
    assert talk.run(arguments(ADD))
    talk.quit()
    assert talk.end().status == 0


def test_a_node_that_fails_is_not_the_programs_fault(talk: Talk) -> None:
    assert not talk.run(arguments(805))
    assert talk.end().status == OUR_FAULT


def test_no_process_is_started_once_foreign_code_is_there(talk: Talk) -> None:
    assert talk.run(arguments(LEAVE))
    talk.process.channel.close()
    assert talk.end().stdout.decode().split("\n") == ["fork 1 1", "exec 1", "thread", ""]


def test_host_code_may_not_touch_device_memory(start: Start, built: Path) -> None:
    talk = start(HOST_ACCESS="no")
    assert talk.prepare()
    assert talk.load_files((built / "artifact.so").read_bytes())
    assert not talk.run(arguments(ADD))
    finding = talk.findings()[-1]
    assert finding["kind"] == "host_access"
    assert "device memory (argument " in finding["message"]
    assert talk.end().status == ExitStatus.ILLEGAL_ACCESS


@pytest.mark.parametrize("kind", [PageOrder.CALLED, PageOrder.QUEUED])
def test_timed_sessions(talk: Talk, kind: PageOrder) -> None:
    sets = [arguments(ADD) for _ in range(3)]
    session = talk.start_session(*sets, flags=True)
    for number in (1, 2, 1, 1):
        session.order(number, kind)
        assert session.queued
        assert session.done_flag == session.number
    session.read_back()
    assert [int(given[1][1]) - 1 for given in sets] == [0, 3, 1]
    assert talk.end_session(session)
    assert talk.run(arguments(ADD))


@pytest.mark.parametrize("kind", [PageOrder.CALLED, PageOrder.QUEUED])
def test_a_call_waits_until_it_may_begin(talk: Talk, kind: PageOrder) -> None:
    given = arguments(ADD)
    session = talk.start_session(given, flags=True)
    session.order(0, kind)
    session.give(0, kind)
    time.sleep(0.1)
    session.read_back()
    assert (int(given[1][1]) - 1, session.done_flag, session.done) == (1, 1, False)
    session.open()
    wait_until(lambda: session.done)
    session.read_back()
    assert (int(given[1][1]) - 1, session.done_flag) == (2, 2)
    assert talk.end_session(session)


def test_a_session_before_loading_is_refused(start: Start) -> None:
    talk = start()
    assert talk.prepare()
    session = talk.start_session(arguments(ADD), flags=True)
    assert talk.end().status == OUR_FAULT
    assert not talk.end_session(session)


@pytest.mark.parametrize(
    ("what", "status", "kind"),
    [
        (BAD_BLOCK, ExitStatus.RUNTIME_ERROR, "cuda_error"),
        (THROW, ExitStatus.RUNTIME_ERROR, "exception"),
        (700, ExitStatus.ILLEGAL_ACCESS, "illegal_address"),
    ],
)
def test_what_goes_wrong_in_a_timed_call_ends_the_process(
    talk: Talk, what: int, status: int, kind: str
) -> None:
    session = talk.start_session(arguments(what), flags=True)
    with pytest.raises(AssertionError, match="not carried out"):
        session.order(0, timeout_s=2)
    assert talk.end().status == status
    assert talk.findings()[-1]["kind"] == kind
    assert not talk.end_session(session)


@pytest.mark.parametrize("function", ["cuStreamWaitValue64_v2", "cuStreamWriteValue64_v2"])
def test_a_stream_that_cannot_wait_is_not_the_programs_fault(
    start: Start, built: Path, function: str
) -> None:
    talk = start(FAKE_CUDA_FAILS=function, FAKE_CUDA_ERROR="801")
    assert talk.prepare()
    assert talk.load_files((built / "artifact.so").read_bytes())
    session = talk.start_session(arguments(ADD), flags=True)
    with pytest.raises(AssertionError, match="not carried out"):
        session.order(0, PageOrder.QUEUED, timeout_s=2)
    end = talk.end()
    assert end.status == OUR_FAULT
    assert f"{function.removesuffix('_v2')}: CUDA_ERROR_OF_TEST (801)".encode() in end.stderr


def test_without_a_driver_it_says_so(start: Start) -> None:
    talk = start(driver=False)
    assert not talk.prepare()
    end = talk.end()
    assert end.status == OUR_FAULT
    assert b"libcuda.so.1 cannot be loaded" in end.stderr


@pytest.mark.parametrize(
    "function", ["cuInit", "cuDevicePrimaryCtxRetain", "cuModuleLoadData", "cuLaunchKernel"]
)
def test_a_driver_that_fails_is_quoted(start: Start, function: str) -> None:
    talk = start(FAKE_CUDA_FAILS=function, FAKE_CUDA_ERROR="806")
    assert not talk.prepare()
    end = talk.end()
    assert end.status == OUR_FAULT
    assert f"{function}: CUDA_ERROR_OF_TEST (806): an error of a test".encode() in end.stderr


def test_memory_that_runs_out_is_said(start: Start, built: Path) -> None:
    talk = start(FAKE_CUDA_FAILS="cuMemSetAccess", FAKE_CUDA_ERROR="2")
    assert talk.prepare()
    assert talk.load_files((built / "artifact.so").read_bytes())
    assert not talk.run(arguments(ADD))
    assert "too little memory" in talk.findings()[-1]["message"]
    assert talk.end().status == ExitStatus.MEMORY_LIMIT


@pytest.mark.parametrize("content", [b"", b"no library", b"\x7fELF"])
def test_what_is_no_artifact_cannot_be_loaded(start: Start, content: bytes) -> None:
    talk = start()
    assert talk.prepare()
    assert not talk.load_files(content)
    assert "could not be loaded" in talk.findings()[-1]["message"]
    assert talk.end().status == ExitStatus.LOAD_ERROR


def test_loading_needs_preparation(start: Start, built: Path) -> None:
    talk = start()
    assert not talk.load_files((built / "artifact.so").read_bytes())
    assert talk.end().status == OUR_FAULT
