"""A GPU node without a GPU: only the GPUs are simulated."""

import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from judge.cpu.target import CpuTarget
from judge.gpu.pool.client import SecretPoolSettings
from judge.gpu.simulated import SimulatedHardware
from judge.gpu.target import GpuTarget
from problems.loader import load_problem
from problems.schema import Case, Problem
from problems.vocabulary import Group
from sandbox.backend import IsolationUnavailable
from sandbox.bubblewrap import Bubblewrap
from sandbox.toolchain import ToolchainMissing
from testing.services import need
from tests.integration.conftest import CACHE

PROBLEMS = Path(__file__).resolve().parents[3] / "problems"


def secret_pools(directory: Path) -> list[int]:
    """The secret pool processes of a runtime directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"judge.gpu.pool.server" in words and any(bytes(directory) in word for word in words):
                found.append(int(entry.name))
    return found


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A runtime directory. Processes that use it are ended afterwards."""
    directory = tmp_path_factory.mktemp("run")
    yield directory
    for pid in secret_pools(directory):
        os.kill(pid, signal.SIGKILL)


def open_node(runtime: Path, *, cards: int = 1, slots: int = 4) -> GpuTarget:
    """Open the node of that runtime directory, as a worker process does."""
    backend = Bubblewrap()
    cpu = CpuTarget.open(backend, cache=CACHE, warm={})
    return GpuTarget(
        SimulatedHardware(cpu, count=cards),
        backend,
        runtime=runtime,
        warm={"cuda": 2, "oracle": 1},
        slots=slots,
        secret_pool=SecretPoolSettings(budget_mib=256),
    )


@pytest.fixture(scope="module")
def node(runtime: Path) -> Iterator[GpuTarget]:
    """A node with one simulated card."""
    need(shutil.which("bwrap") is not None, "bubblewrap", "apt-get install bubblewrap")
    try:
        target = open_node(runtime)
    except (IsolationUnavailable, ToolchainMissing) as error:
        need(False, "the judge", str(error))
        raise
    yield target
    target.close()


@pytest.fixture(scope="session")
def vector_add() -> Problem:
    """Vector addition with timed cases that suit a CPU, and time limits that suit a busy one."""
    problem = load_problem(PROBLEMS / "vector-add")
    checked = tuple(case for case in problem.cases if case.group is not Group.TIMED)
    timed = (Case("timed", Group.TIMED, {"n": 40_000}), Case("timed-small", Group.TIMED, {"n": 15_000}))
    patient = replace(problem.limits, case_s=30)
    return replace(problem, cases=(*checked, *timed), limits=patient, version="simulated")


def solution(name: str) -> str:
    """A shipped solution of vector addition."""
    return (PROBLEMS / "vector-add" / "solutions" / name).read_text()
