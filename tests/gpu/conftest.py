"""The GPU of this machine, and a judge on it. Tests that use them are skipped without an NVIDIA GPU.

TEST_ISOLATION  docker (the default) or bubblewrap
TEST_IMAGES     PREFIX:TAG of images, or host (the default): containers show this host's own files
TEST_GPU        the index of the GPU, 0 by default
TEST_MPS        yes (the default) or no: GPUs are time-sliced
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from judge.evaluate import evaluate
from judge.gpu.settings import HOST_IMAGES, NodeSettings
from judge.gpu.target import GpuTarget
from judge.report import Report
from judge.target import Target
from judge.wiring import open_target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Language, Mode
from sandbox.backend import IsolationUnavailable
from sandbox.gpu.nvml import GpuInfo, NvmlUnavailable, open_nvml
from sandbox.toolchain import ToolchainMissing

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "tests-gpu"
# This module starts its own node, which the processes of the session's target would disturb.
BEFORE_THE_TARGET = "test_memory_limits.py"
# These modules open the GPU in the process of the tests, which disturbs all later sessions of the clock.
IN_THIS_PROCESS = {
    f"test_{name}.py"
    for name in (
        *("checker", "clock", "device_runner", "device_triton"),
        *("memory", "oracle", "referee_process", "vmm"),
    )
}
WARM = {"compile": 2, "cuda": 2, "triton": 2, "oracle": 1}
Judge = Callable[..., Report]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the module BEFORE_THE_TARGET first, and those of IN_THIS_PROCESS last."""

    def order(item: pytest.Item) -> int:
        if item.path.parent != Path(__file__).parent:
            return 0
        return (item.path.name in IN_THIS_PROCESS) - (item.path.name == BEFORE_THE_TARGET)

    items.sort(key=order)


@pytest.fixture(scope="session")
def gpu() -> GpuInfo:
    """The GPU of the tests."""
    try:
        return open_nvml().gpus()[int(os.environ.get("TEST_GPU", "0"))]
    except (NvmlUnavailable, IndexError) as error:
        pytest.skip(f"no NVIDIA GPU: {error}")


@pytest.fixture(scope="session")
def target(gpu: GpuInfo) -> Iterator[Target]:
    """The judge on it."""
    with opened(gpu) as target:
        yield target


@contextmanager
def opened(*gpus: GpuInfo) -> Iterator[GpuTarget]:
    """Open a complete target: containers, MPS, leases, secret pool, referee processes, the trusted clock."""
    runtime = Path(tempfile.mkdtemp(prefix="wcg"))  # a short path, because it contains sockets
    node = NodeSettings(
        runtime_dir=runtime,
        images=os.environ.get("TEST_IMAGES", HOST_IMAGES),
        mps=os.environ.get("TEST_MPS", "yes") != "no",
        gpus=tuple(gpu.uuid for gpu in gpus),
    )
    try:
        backend = os.environ.get("TEST_ISOLATION", "docker")
        target = open_target("gpu", backend=backend, cache=CACHE, warm=WARM, node=node)
    except (IsolationUnavailable, ToolchainMissing) as error:
        pytest.fail(f"there is a GPU, but the judge does not open on it: {error}")
    assert isinstance(target, GpuTarget)
    yield target
    gpu_runtimes = list(target.gpu_runtimes.values())
    target.close()
    for gpu_runtime in gpu_runtimes:
        gpu_runtime.secret_pool.end()
        if gpu_runtime.card.mps is not None:
            gpu_runtime.card.mps.stop()
    shutil.rmtree(runtime, ignore_errors=True)


@pytest.fixture(scope="session")
def vector_add() -> Problem:
    return load_problem(problems_root() / "vector-add")


@pytest.fixture(scope="session")
def judge(target: Target, vector_add: Problem) -> Judge:
    """Judges a program: `judge(source, Language.CUDA)`."""

    def judge(
        source: str, language: Language, *, mode: Mode = Mode.SUBMIT, problem: Problem = vector_add
    ) -> Report:
        return evaluate(problem, source, language=language, mode=mode, target=target)

    return judge
