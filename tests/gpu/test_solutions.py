"""Every solution of every problem gets a verdict that it may get on a GPU; accepted ones are timed."""

from pathlib import Path

import pytest

from problems.loader import load_problem, problems_root
from problems.schema import Problem, Solution
from problems.vocabulary import Group, Verdict
from tests.gpu.conftest import Judge

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(600)]


def solutions() -> list[tuple[Problem, Solution]]:
    """All shipped solutions, problem by problem."""
    folders = sorted(path.parent for path in problems_root().glob("*/problem.toml"))
    return [(problem, solution) for problem in map(load_problem, folders) for solution in problem.solutions]


def name_of(value: object) -> str:
    """A test's name: the slug and the file."""
    if isinstance(value, Solution):
        return value.path.name
    return value.slug if isinstance(value, Problem) else str(value)


@pytest.mark.parametrize(("problem", "solution"), solutions(), ids=name_of)
def test_solution(judge: Judge, problem: Problem, solution: Solution) -> None:
    source = Path(solution.path).read_text(encoding="utf-8")
    report = judge(source, solution.language, problem=problem)
    told = [f"{report.verdict}: {report.message}", report.log]
    told += [f"{case.name}: {case.verdict}, {case.message}, {case.wall_ms} ms" for case in report.cases]
    told += [f"{diagnostic.kind}: {diagnostic.message}" for diagnostic in report.diagnostics]
    assert report.verdict in solution.allowed(on_gpu=True), "\n".join(told)
    if report.verdict is Verdict.ACCEPTED:
        timed = [case for case in report.cases if case.group is Group.TIMED]
        assert all(case.timing is not None and case.timing.median_us > 0 for case in timed)
        assert report.ranked == bool(timed)
