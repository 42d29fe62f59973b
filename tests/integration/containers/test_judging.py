"""Judging end to end in containers: the CPU target with its compiler, runners, oracle and pools unchanged."""

import time
from collections.abc import Iterator

import pytest

from judge.cpu.target import CpuTarget
from judge.evaluate import evaluate
from judge.report import Report
from problems.loader import load_problem, problems_root
from problems.schema import Solution
from problems.vocabulary import Mode, Verdict
from sandbox.containers.backend import Containers
from sandbox.toolchain import ToolchainMissing
from testing.services import need
from tests.integration.conftest import CACHE
from tests.integration.threats.attacks import ATTACKS, Attack

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("containers-judging")]

PROBLEM = load_problem(problems_root() / "vector-add")
SOLUTIONS = {"plain.cu", "plain.py", "off-by-one.cu", "no-guard.cu", "prints-pass.cu", "no-remainder.py"}
TRIED = {"kills-everybody", "output-flood", "endless-host", "answers-by-itself-triton"}
HOSTILE = [attack for attack in ATTACKS if attack.name in TRIED]


@pytest.fixture(scope="module")
def target(containers: Containers) -> Iterator[CpuTarget]:
    try:
        opened = CpuTarget.open(containers, cache=CACHE, warm={"oracle": 1, "triton": 1})
    except ToolchainMissing as error:
        need(False, "nvcc", str(error))
        raise
    yield opened
    opened.close()


def judge(target: CpuTarget, solution: Solution | Attack) -> Report:
    source = solution.source if isinstance(solution, Attack) else solution.path.read_text(encoding="utf-8")
    return evaluate(PROBLEM, source, language=solution.language, mode=Mode.SUBMIT, target=target)


@pytest.mark.parametrize(
    "solution",
    [solution for solution in PROBLEM.solutions if solution.path.name in SOLUTIONS],
    ids=lambda solution: solution.path.name,
)
def test_solutions_get_their_verdicts(target: CpuTarget, solution: Solution) -> None:
    report = judge(target, solution)
    assert report.verdict is solution.verdict, (report.message, report.log, report.diagnostics)


@pytest.mark.parametrize("attack", HOSTILE, ids=lambda attack: attack.name)
def test_attacks_get_theirs(target: CpuTarget, attack: Attack) -> None:
    assert len(HOSTILE) == len(TRIED)
    report = judge(target, attack)
    assert report.verdict is attack.verdict, (report.message, report.log, report.diagnostics)


def test_containers_are_started_ahead(target: CpuTarget) -> None:
    deadline = time.monotonic() + 60
    while target._pool.waiting("oracle") == 0:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    honest = next(solution for solution in PROBLEM.solutions if solution.verdict is Verdict.ACCEPTED)
    before = target._pool.hits.get("oracle", 0)
    assert judge(target, honest).verdict is Verdict.ACCEPTED
    assert target._pool.hits["oracle"] == before + 1
