"""Tests programs with ranks on two real GPUs, with NCCL. Skipped on hosts without two GPUs.

The first tests start the runner without a sandbox. The others judge the shipped problems for two ranks.

.venv/bin/python -m pytest -q tests/gpu/test_ranks.py
"""

import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.solutions import solutions as shipped
from judge.evaluate import evaluate
from judge.gpu.target import GpuTarget
from problems.calling import Pattern, PythonCallSpec, PythonEntry
from problems.schema import Problem, Solution
from problems.vocabulary import Language, Mode
from sandbox.gpu.runners import build_device_runner, of_this_process, ranks_runner_command
from sandbox.spec import Limits
from sandbox.toolchain import find_toolkit
from sandbox.wire import ExitStatus
from tests.gpu.bare import opened_device, talk_to
from tests.gpu.test_several_gpus import pair, two
from tests.gpu.test_solutions import name_of
from tests.integration.sandbox.talk import Talk

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(600)]
__all__ = ["pair", "two"]
SOLUTIONS = [(problem, solution) for problem, solution in shipped(None, wrong=True) if problem.ranks == 2]
NAMES = ("x", "y", "n")
LIMITS = Limits(wall_s=300, cpu_s=600, memory_mib=16384, processes=512)
IMPORTS = "import os, time\nimport torch\nimport torch.distributed as dist\n"
ADD = """
def solve(x, y, n):
    assert x.device.index == torch.cuda.current_device() == dist.get_rank()
    y.copy_(x)
    dist.all_reduce(y)
    other = 1 - dist.get_rank()
    halo = torch.empty(1, device="cuda")
    ops = [dist.P2POp(dist.isend, x[:1], other), dist.P2POp(dist.irecv, halo, other)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    y += halo
"""
DEADLOCK = """
def solve(x, y, n):
    if dist.get_rank() == 0:
        dist.all_reduce(x)
        torch.cuda.synchronize()
"""
EXCEPTION = """
def solve(x, y, n):
    if dist.get_rank() == 1:
        y.copy_(x[:n - 1])
    dist.all_reduce(y)
    torch.cuda.synchronize()
"""
EXIT = """
def solve(x, y, n):
    if dist.get_rank() == 1:
        os._exit(3)
    dist.barrier()
"""


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    """A runner of two ranks, which is not isolated."""
    runner = build_device_runner(tmp_path / "cache", find_toolkit())
    command = ranks_runner_command(of_this_process(), runner, limits=LIMITS, gpu=None)
    with opened_device() as device, talk_to(command, tmp_path, device) as opened:
        yield opened


def load(talk: Talk, source: str) -> bool:
    call = PythonCallSpec(PythonEntry.SOLVE, Pattern.of_names(NAMES))
    manifest = {"arguments": [{"name": name} for name in NAMES], "python": call.described(), "ranks": 2}
    return talk.load(IMPORTS + textwrap.dedent(source), manifest)


def arrays() -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    return x, np.full_like(x, -1)


def test_ranks_add_and_exchange(talk: Talk) -> None:
    assert load(talk, ADD), talk.findings()
    for _ in range(2):
        x, y = arrays()
        assert talk.run([x, y, ("int32", 4)], time_limit_ms=20000), talk.findings()
        np.testing.assert_array_equal(y, x.sum(0) + x[::-1, :1])
    talk.quit()
    assert talk.end().status == 0


@pytest.mark.parametrize(
    ("source", "status", "words"),
    [
        (DEADLOCK, ExitStatus.TIME_LIMIT, ("Rank 0 is in line", "Rank 1 has returned from solve.")),
        (EXCEPTION, ExitStatus.RUNTIME_ERROR, ("Rank 1: RuntimeError",)),
        (EXIT, ExitStatus.RUNTIME_ERROR, ("Rank 1 exited with status 3",)),
    ],
    ids=["deadlock", "exception", "exit"],
)
def test_failures_name_their_rank(
    talk: Talk, source: str, status: ExitStatus, words: tuple[str, ...]
) -> None:
    assert load(talk, source), talk.findings()
    x, y = arrays()
    assert not talk.run([x, y, ("int32", 4)], time_limit_ms=5000)
    message = talk.findings()[-1]["message"]
    assert all(text in message for text in words), message
    assert talk.end().status == status


@pytest.mark.parametrize(("problem", "solution"), SOLUTIONS, ids=name_of)
def test_solution(two: GpuTarget, problem: Problem, solution: Solution) -> None:
    source = solution.path.read_text()
    report = evaluate(problem, source, language=Language.PYTHON, mode=Mode.SUBMIT, target=two)
    told = [f"{report.verdict}: {report.message}", *(d.message for d in report.diagnostics)]
    assert report.verdict in solution.allowed(on_gpu=True), "\n".join(told)
    assert not report.ranked
