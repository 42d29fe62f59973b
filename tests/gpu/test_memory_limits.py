"""Tests limits of device memory on a real GPU: what counts, and who is charged when memory runs out."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from judge.evaluate import evaluate
from judge.gpu.settings import HOST_IMAGES, NodeSettings
from judge.gpu.target import GpuTarget
from judge.report import Report
from judge.wiring import open_target
from problems.schema import Problem
from problems.vocabulary import Language, Mode, Verdict
from sandbox.gpu.mps import Mps
from sandbox.gpu.nvml import GpuInfo
from tests.gpu.conftest import CACHE
from tests.gpu.threats.table import source

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
ROOT = Path(__file__).resolve().parents[2]
LIMIT_MIB, LARGE_MIB = 4096, 8192
CLIENT = """
import sys
from sandbox.runner.vmm import Allocation, CudaError, Device
device, size_bytes = Device.open(), int(sys.argv[1]) << 20
try:
    if len(sys.argv) > 2:
        Allocation.from_descriptor(device, int(sys.argv[2]), size_bytes).write(b"given")
    else:
        Allocation.create(device, size_bytes)
    print("ok")
except CudaError as error:
    print("error", int(error.code))
"""
OWNER = """
import os, subprocess, sys
from sandbox.runner.vmm import Allocation, Device
client, size_mib, pipes, limit = sys.argv[1:]
memory = Allocation.create(Device.open(), int(size_mib) << 20)
descriptor = memory.export()
environment = os.environ | {"CUDA_MPS_PIPE_DIRECTORY": pipes, "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT": limit}
argv = [sys.executable, "-c", client, size_mib, str(descriptor)]
subprocess.run(argv, env=environment, pass_fds=[descriptor], check=True)
"""


@pytest.fixture
def mps(gpu: GpuInfo) -> Iterator[Mps]:
    made = Mps(gpu.uuid, gpu.minor, Path(tempfile.mkdtemp(prefix="wcl")))
    made.ensure()
    yield made
    made.stop()


def said(gpu: GpuInfo, pipes: Path, *words: str, limit: str = "") -> str:
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment |= {"CUDA_VISIBLE_DEVICES": gpu.uuid, "CUDA_MPS_PIPE_DIRECTORY": str(pipes)}
    if limit:
        environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = limit
    done = subprocess.run(
        [sys.executable, "-c", *words], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_memory_that_a_client_makes_to_share_counts_against_its_limit(gpu: GpuInfo, mps: Mps) -> None:
    limit = f"0={LIMIT_MIB}M"
    assert said(gpu, mps.pipe_directory, CLIENT, str(LIMIT_MIB // 4), limit=limit) == "ok"
    assert said(gpu, mps.pipe_directory, CLIENT, str(LARGE_MIB), limit=limit) == "error 2"
    assert said(gpu, mps.pipe_directory, CLIENT, str(LARGE_MIB)) == "ok"


def test_memory_that_a_client_is_given_counts_against_its_limit(gpu: GpuInfo, mps: Mps) -> None:
    """So the arrays of a timed session take half of it at most, see `judge.clock.sets.how_many_sets`."""
    outside = Path("/nonexistent")
    words = (str(mps.pipe_directory), f"0={LIMIT_MIB}M")
    assert said(gpu, outside, OWNER, CLIENT, str(LIMIT_MIB // 4), *words) == "ok"
    assert said(gpu, outside, OWNER, CLIENT, str(LARGE_MIB), *words) == "error 2"


@contextmanager
def node(gpu: GpuInfo, *, client_memory_mib: int | None, mps: bool = True) -> Iterator[GpuTarget]:
    settings = NodeSettings(
        runtime_dir=Path(tempfile.mkdtemp(prefix="wcn")),
        images=os.environ.get("TEST_IMAGES", HOST_IMAGES),
        gpus=(gpu.uuid,),
        mps=mps,
        check_slots=8,
        client_memory_mib=client_memory_mib,
    )
    target = open_target("gpu", backend="docker", cache=CACHE, warm={"oracle": 1}, node=settings)
    assert isinstance(target, GpuTarget)
    gpu_runtimes = list(target.gpu_runtimes.values())
    try:
        yield target
    finally:
        target.close()
        for gpu_runtime in gpu_runtimes:
            gpu_runtime.secret_pool.end()
            if gpu_runtime.card.mps is not None:
                gpu_runtime.card.mps.stop()


def judged(target: GpuTarget, problem: Problem, file: str) -> Report:
    return evaluate(problem, source(file), language=Language.CUDA, mode=Mode.SUBMIT, target=target)


def test_with_the_usual_limit_nothing_is_left_without_memory(gpu: GpuInfo, vector_add: Problem) -> None:
    with node(gpu, client_memory_mib=None) as target:
        report = judged(target, vector_add, "takes-the-last-memory.cu")
        assert report.verdict in {Verdict.ACCEPTED, Verdict.MEMORY_LIMIT}, report
        assert judged(target, vector_add, "honest.cu").ranked


@pytest.mark.parametrize("mps", [True, False], ids=["mps", "time-sliced"])
def test_without_a_limit_a_program_that_takes_all_memory_is_charged(
    gpu: GpuInfo, vector_add: Problem, mps: bool
) -> None:
    with node(gpu, client_memory_mib=0, mps=mps) as target:
        report = judged(target, vector_add, "takes-the-last-memory.cu")
        assert report.verdict is Verdict.MEMORY_LIMIT, report
        assert judged(target, vector_add, "honest.cu").verdict is Verdict.ACCEPTED
