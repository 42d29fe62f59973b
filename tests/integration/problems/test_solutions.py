"""Every solution of every problem gets the verdict that it declares, through the real sandboxes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from judge.evaluate import evaluate
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem, Solution
from problems.vocabulary import Mode

pytestmark = [pytest.mark.integration, pytest.mark.proof]


def solutions() -> list[tuple[Problem, Solution]]:
    """All shipped solutions. The slowest problems must not all fall to one worker, so they are dealt out."""
    folders = sorted(path.parent for path in problems_root().glob("*/problem.toml"))
    problems = [load_problem(folder) for folder in folders]
    return [(problem, solution) for problem in problems for solution in problem.solutions]


def name_of(value: object) -> str:
    """A test's name: the slug and the file."""
    if isinstance(value, Solution):
        return value.path.name
    return value.slug if isinstance(value, Problem) else str(value)


@pytest.mark.parametrize(("problem", "solution"), solutions(), ids=name_of)
def test_solution(
    cpu_target: Target,
    problem: Problem,
    solution: Solution,
    record_property: Callable[[str, object], None],
) -> None:
    report = evaluate(
        problem,
        Path(solution.path).read_text(encoding="utf-8"),
        language=solution.language,
        mode=Mode.SUBMIT,
        target=cpu_target,
    )
    explained = [f"{report.verdict}: {report.message}", report.log]
    explained += [f"{case.name}: {case.verdict}, {case.message}, {case.wall_ms} ms" for case in report.cases]
    explained += [f"{diagnostic.kind}: {diagnostic.message}" for diagnostic in report.diagnostics]
    assert report.verdict is solution.verdict, "\n".join(explained)
    record_property("verdict", str(report.verdict))
    record_property("cases", {case.name: str(case.verdict) for case in report.cases})
    record_property("wrong", {case.name: case.wrong_shares for case in report.cases if case.wrong_shares})
