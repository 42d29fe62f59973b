"""The real MPS on a real GPU: clients, limits, termination, faults, death of the daemon."""

import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sandbox.gpu import health
from sandbox.gpu.mps import Mps, ServerState
from sandbox.gpu.nvml import GpuInfo, NvmlUnavailable, open_nvml
from sandbox.gpu.probe import ProbeFailed, probe
from testing.services import need

pytestmark = pytest.mark.gpu

CLIENT = Path(__file__).with_name("mps_client.py")
CLIENT_MIB = 4096
OUT_OF_MEMORY, TERMINATED = 2, 810
RECOVERY_S = 2.0


@pytest.fixture(scope="module")
def gpu() -> GpuInfo:
    try:
        return open_nvml().gpus()[0]
    except (NvmlUnavailable, IndexError) as error:
        pytest.skip(f"no GPU: {error}")


@pytest.fixture
def mps(gpu: GpuInfo) -> Iterator[Mps]:
    need(bool(shutil.which("nvidia-cuda-mps-control")), "MPS", "install the driver's package that has it")
    folder = Path(tempfile.mkdtemp(prefix="wct"))
    made = Mps(gpu.uuid, gpu.minor, folder, client_memory_mib=CLIENT_MIB)
    made.ensure()
    yield made
    made.stop()
    shutil.rmtree(folder, ignore_errors=True)


class Client:
    """Another process with a CUDA context."""

    def __init__(self, gpu: GpuInfo, pipe_directory: Path, **environment: str) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "HOME") if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, str(CLIENT)],
            env=kept
            | {"CUDA_VISIBLE_DEVICES": gpu.uuid, "CUDA_MPS_PIPE_DIRECTORY": str(pipe_directory)}
            | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self.process.pid

    def answer(self, within_s: float = 60.0) -> str:
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            assert selector.select(within_s), f"process {self.pid} does not answer"
        return self.process.stdout.readline().strip()

    def tell(self, words: str, within_s: float = 60.0) -> str:
        self.order(words)
        return self.answer(within_s)

    def order(self, words: str) -> None:
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def client(gpu: GpuInfo, mps: Mps | None, **environment: str) -> Iterator[Client]:
    """A client that has its context, terminated and killed at the end."""
    made = Client(gpu, mps.pipe_directory if mps else Path("/nonexistent"), **environment)
    try:
        assert made.answer() == "ok None"
        yield made
    finally:
        try:
            if mps is not None:
                mps.terminate(made.pid)
        finally:
            made.end()


def until(true: Callable[[], object], within_s: float) -> float:
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < within_s
        time.sleep(0.02)
    return time.monotonic() - began


def is_stopped(pid: int) -> bool:
    return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_the_server_is_started_ahead(mps: Mps) -> None:
    """Else the first submission would wait for it."""
    assert mps.healthy()
    assert [server.state for server in mps.servers()] == [ServerState.ACTIVE]


def test_a_client_appears_under_its_host_id_and_goes(gpu: GpuInfo, mps: Mps) -> None:
    with client(gpu, mps) as one:
        assert one.tell("sum") == "ok 499500"
        assert mps.clients() == (one.pid,)
        seen = {process.pid: process for process in open_nvml().sample(gpu.uuid).processes}
        assert seen[one.pid].mps
        assert seen[one.pid].memory_mib > 0
    until(lambda: mps.clients() == (), 5)


def test_a_client_may_not_allocate_more_than_the_server_allows(gpu: GpuInfo, mps: Mps) -> None:
    with client(gpu, mps) as one:
        assert one.tell(f"allocate {CLIENT_MIB // 4}").startswith("ok")
        assert one.tell(f"allocate {CLIENT_MIB}") == f"error {OUT_OF_MEMORY}"
    with client(gpu, mps, CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=f"0={2 * CLIENT_MIB}M") as greedy:
        assert greedy.tell(f"allocate {CLIENT_MIB + 1024}") == f"error {OUT_OF_MEMORY}"


def test_a_client_may_be_given_a_part_of_the_multiprocessors(gpu: GpuInfo, mps: Mps) -> None:
    with client(gpu, mps) as whole:
        all_ms = float(whole.tell("copy").split()[1])
    with client(gpu, mps, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="10") as part:
        part_ms = float(part.tell("copy").split()[1])
    assert part_ms > 1.5 * all_ms


def test_a_hung_client_that_was_stopped_is_terminated_at_once(gpu: GpuInfo, mps: Mps) -> None:
    with client(gpu, mps) as hung, client(gpu, mps) as innocent:
        assert hung.tell("spin").startswith("ok")
        os.kill(hung.pid, signal.SIGSTOP)
        until(lambda: is_stopped(hung.pid), 5)
        began = time.monotonic()
        assert mps.terminate(hung.pid)
        assert time.monotonic() - began < 1.5
        assert innocent.tell("sum") == "ok 499500"


def test_terminating_a_hung_client_leaves_the_other_unharmed(gpu: GpuInfo, mps: Mps) -> None:
    with client(gpu, mps) as hung, client(gpu, mps) as innocent:
        assert hung.tell("spin").startswith("ok")
        hung.order("sync")
        assert innocent.tell("sum") == "ok 499500"
        began = time.monotonic()
        assert mps.terminate(hung.pid)
        assert hung.answer(within_s=5) == f"error {TERMINATED}"
        assert time.monotonic() - began < 1
        assert innocent.tell("sum") == "ok 499500"
        hung.end()
        assert innocent.tell("sum") == "ok 499500"
        assert mps.healthy()


def test_a_fault_takes_all_clients_and_passes_when_they_are_gone(gpu: GpuInfo, mps: Mps) -> None:
    with client(gpu, mps) as guilty, client(gpu, mps) as innocent:
        assert guilty.tell("fault").startswith("error 7")
        assert innocent.tell("sum").startswith("error")
        assert not mps.healthy()
        guilty.end()
        innocent.end()
        until(mps.healthy, RECOVERY_S)
    began = time.monotonic()
    probe(gpu.uuid, mps)
    assert time.monotonic() - began < RECOVERY_S


def test_a_killed_daemon_is_replaced(gpu: GpuInfo, mps: Mps) -> None:
    daemon = int((mps.pipe_directory / "nvidia-cuda-mps-control.pid").read_text())
    os.kill(daemon, signal.SIGKILL)
    until(lambda: not mps.healthy(), 5)
    mps.ensure()
    with client(gpu, mps) as one:
        assert one.tell("sum") == "ok 499500"


def test_restart_is_clean(gpu: GpuInfo, mps: Mps) -> None:
    with client(gpu, mps) as one:
        mps.restart()
        assert one.tell("sum").startswith("error")
        one.end()
    with client(gpu, mps) as another:
        assert another.tell("sum") == "ok 499500"


def test_a_wrong_pipe_directory_runs_beside_mps_and_is_noticed(gpu: GpuInfo, mps: Mps) -> None:
    with client(gpu, None) as stray:
        assert stray.tell("sum") == "ok 499500", "CUDA falls back without a word"
        assert stray.pid not in mps.clients()
        assert not mps.terminate(stray.pid)


def test_a_healthy_gpu_passes_its_check_shared_and_not(gpu: GpuInfo, mps: Mps) -> None:
    for shared in (mps, None):
        began = time.monotonic()
        found = health.check(gpu.uuid, nvml=open_nvml(), mps=shared)
        assert found.well, found.reason
        assert time.monotonic() - began < 5


def test_a_check_notices_that_mps_is_gone(gpu: GpuInfo, mps: Mps) -> None:
    mps.stop()
    assert "no MPS daemon is running" in health.check(gpu.uuid, nvml=open_nvml(), mps=mps).reason
    with pytest.raises(ProbeFailed):
        probe(gpu.uuid, mps)


def test_a_gpu_that_is_not_there_fails_its_probe(gpu: GpuInfo) -> None:
    with pytest.raises(ProbeFailed, match="cannot compute on it"):
        probe("GPU-00000000-0000-0000-0000-000000000000", None)
