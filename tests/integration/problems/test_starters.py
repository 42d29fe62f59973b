"""Starters compile and do not solve their problems. `test_derived_code` tests those for authors."""

import pytest

from judge.evaluate import evaluate
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Difficulty, Language, Mode, Verdict

pytestmark = pytest.mark.integration
PROBLEMS = [load_problem(path.parent) for path in sorted(problems_root().glob("*/problem.toml"))]
EASY = [problem for problem in PROBLEMS if problem.difficulty is Difficulty.EASY]
STARTERS = [(problem, language) for problem in EASY if problem.fix is None for language in problem.languages]
GIVEN = [(problem, language) for problem in PROBLEMS if problem.fix for language in problem.languages]


def name_of(value: object) -> str:
    """A test's name: the slug and the language."""
    return value.slug if isinstance(value, Problem) else str(value)


def judge(problem: Problem, source: str, language: Language, target: Target) -> str:
    """The verdict and its explanation."""
    report = evaluate(problem, source, language=language, mode=Mode.SUBMIT, target=target)
    return f"{report.verdict}: {report.message}"


@pytest.mark.parametrize(("problem", "language"), STARTERS, ids=name_of)
def test_the_starter_of_an_easy_problem_is_a_skeleton(
    cpu_target: Target, problem: Problem, language: Language
) -> None:
    source = problem.starters[language]
    kernel = {Language.CUDA: "__global__", Language.TRITON: "@triton.jit", Language.PYTHON: "def solve("}
    assert kernel[language] in source
    assert "1." in source
    assert judge(problem, source, language, cpu_target).startswith(Verdict.WRONG_ANSWER)


@pytest.mark.parametrize(("problem", "language"), GIVEN, ids=name_of)
def test_the_starter_of_a_program_to_correct_is_that_program(problem: Problem, language: Language) -> None:
    [given] = [
        solution
        for solution in problem.solutions
        if solution.path.name in problem.fix.given and solution.language is language
    ]
    assert problem.starters[language] == given.path.read_text(encoding="utf-8")
    assert given.verdict is not Verdict.ACCEPTED
