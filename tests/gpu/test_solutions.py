"""Tests that every solution of every problem gets an allowed verdict on a GPU. Accepted ones are timed.

Several solutions are judged at a time, correct and wrong ones together, as on a node.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.solutions import solutions as shipped
from judge.report import Report
from problems.schema import Problem, Solution
from problems.vocabulary import Group, Verdict
from tests.gpu.conftest import Judge

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(600)]
AT_A_TIME = 8
Judged = Mapping[Path, Future[Report]]


def solutions() -> list[tuple[Problem, Solution]]:
    """All shipped solutions for one GPU."""
    return [(problem, solution) for problem, solution in shipped(None, wrong=True) if problem.gpus == 1]


def name_of(value: object) -> str:
    """A test's name: the slug and the file."""
    if isinstance(value, Solution):
        return value.path.name
    return value.slug if isinstance(value, Problem) else str(value)


@pytest.fixture(scope="module")
def judged(judge: Judge, request: pytest.FixtureRequest) -> Iterator[Judged]:
    """The reports to come, of the solutions that were selected."""
    chosen = [item.callspec.params for item in request.session.items if item.path == request.path]  # type: ignore[attr-defined]
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        futures = {}
        for parameters in chosen:
            problem, solution = parameters["problem"], parameters["solution"]
            source = solution.path.read_text(encoding="utf-8")
            futures[solution.path] = threads.submit(judge, source, solution.language, problem=problem)
        yield futures
        threads.shutdown(cancel_futures=True)


@pytest.mark.parametrize(("problem", "solution"), solutions(), ids=name_of)
def test_solution(judged: Judged, problem: Problem, solution: Solution) -> None:
    report = judged[solution.path].result()
    told = [f"{problem.slug}, {report.verdict}: {report.message}", report.log]
    told += [f"{case.name}: {case.verdict}, {case.message}, {case.wall_ms} ms" for case in report.cases]
    told += [f"{diagnostic.kind}: {diagnostic.message}" for diagnostic in report.diagnostics]
    assert report.verdict in solution.allowed(on_gpu=True), "\n".join(told)
    if report.verdict is Verdict.ACCEPTED:
        timed = [case for case in report.cases if case.group is Group.TIMED]
        assert all(case.timing is not None and case.timing.median_us > 0 for case in timed)
        assert report.ranked == bool(timed)
