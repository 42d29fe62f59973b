"""Every shipped problem proves itself; its solutions are judged in test_solutions.

Trivial programs are tried in Triton for all problems, since what they answer is the same in both
languages, and in CUDA for one, since compiling each for all would take minutes.
"""

import pytest

from judge.proof import Severity
from judge.prove import TargetBench, examine, findings_on, try_program
from judge.target import Target
from judge.trivial import Trivial, trivial_programs
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Language

pytestmark = pytest.mark.integration

CUDA_TOO = "vector-add"
PROBLEMS = [load_problem(path.parent) for path in sorted(problems_root().glob("*/problem.toml"))]


def trivial_cases() -> list[tuple[Problem, Trivial]]:
    """The trivial programs that are tried here."""
    return [
        (problem, program)
        for problem in PROBLEMS
        for program in trivial_programs(problem)
        if program.language is Language.TRITON or problem.slug == CUDA_TOO
    ]


def name_of(value: object) -> str:
    """A test's name."""
    return value.slug if isinstance(value, Problem) else str(getattr(value, "name", value))


@pytest.mark.parametrize("problem", PROBLEMS, ids=name_of)
def test_package(cpu_target: Target, problem: Problem) -> None:
    """Cases, seeds, tolerances and the example hold."""
    found = examine(problem, TargetBench(cpu_target)).findings
    assert [finding for finding in found if finding.severity is Severity.ERROR] == []


@pytest.mark.parametrize(("problem", "program"), trivial_cases(), ids=name_of)
def test_trivial_program(cpu_target: Target, problem: Problem, program: Trivial) -> None:
    """A program that computes nothing gets a wrong answer."""
    outcome = try_program(problem, program, TargetBench(cpu_target))
    assert list(findings_on(outcome)) == [], outcome
