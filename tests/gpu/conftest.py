"""The GPU of this machine, and a judge on it. Without an NVIDIA GPU every test that asks for them is skipped.

WARPCOURT_TEST_ISOLATION   docker (the default) or bubblewrap
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judge.evaluate import evaluate
from judge.report import Report
from judge.target import Target, open_target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Language, Mode
from sandbox.backend import IsolationUnavailable
from sandbox.gpu.nvml import GpuInfo, NvmlUnavailable, open_nvml
from sandbox.toolchain import ToolchainMissing

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "tests-gpu"
WARM = {"compile": 2, "cuda": 2, "triton": 2, "oracle": 1}
Judge = Callable[..., Report]


@pytest.fixture(scope="session")
def gpu() -> GpuInfo:
    """The first GPU."""
    try:
        return open_nvml().gpus()[0]
    except (NvmlUnavailable, IndexError) as error:
        pytest.skip(f"no NVIDIA GPU: {error}")


@pytest.fixture(scope="session")
def target(gpu: GpuInfo) -> Iterator[Target]:
    """All of the real thing: containers, MPS, leases, vault, referee processes, the trusted clock."""
    isolation = os.environ.get("WARPCOURT_TEST_ISOLATION", "docker")
    try:
        target = open_target("gpu", backend=isolation, cache=CACHE, warm=WARM)
    except (IsolationUnavailable, ToolchainMissing) as error:
        pytest.fail(f"there is a GPU, but the judge does not open on it: {error}")
    yield target
    target.close()


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
