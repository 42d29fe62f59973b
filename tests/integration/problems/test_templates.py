"""Every template is a problem that proves itself, so that an author begins with something that works.

All programs of a language are tried in one batch, the accepted ones as its controls. The whole proof is
`WARPCOURT_PROBLEMS_DIR=problems/templates manage.py prove` with their names.
"""

import pytest

from judge.proof.mutants.score import MIN_SCORE
from judge.proof.mutants.selection import families_of
from judge.proof.prove import TargetEnvironment, examine
from judge.proof.trivial import trivial_programs
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Language, Severity, Verdict
from web.authoring.problem_templates import PROBLEM_TEMPLATES

pytestmark = [pytest.mark.integration, pytest.mark.proof]

TEMPLATES = [load_problem(problems_root() / "templates" / kind.name) for kind in PROBLEM_TEMPLATES]


def name_of(problem: Problem) -> str:
    """A test's name."""
    return problem.slug


@pytest.mark.parametrize("problem", TEMPLATES, ids=name_of)
def test_package(cpu_target: Target, problem: Problem) -> None:
    """Nothing keeps it from being published, and nothing is left to look at."""
    found = examine(problem, TargetEnvironment(cpu_target)).findings
    assert [finding for finding in found if finding.severity is Severity.ERROR] == []


@pytest.mark.parametrize("problem", TEMPLATES, ids=name_of)
@pytest.mark.parametrize("language", [Language.CUDA, Language.TRITON])
def test_programs(cpu_target: Target, problem: Problem, language: Language) -> None:
    """Every solution gets its verdict, and programs that compute nothing fail, as most mutants do."""
    solutions = [solution for solution in problem.solutions if solution.language is language]
    sources = [solution.path.read_text(encoding="utf-8") for solution in solutions]
    right = [source for s, source in zip(solutions, sources, strict=True) if s.verdict is Verdict.ACCEPTED]
    trivial = [program for program in trivial_programs(problem) if program.language is language]
    environment = TargetEnvironment(cpu_target)
    families = [family for family in families_of(problem) if family.solution.language is language]
    mutants = [mutant for family in families for mutant in family.mutants]
    programs = [*sources, *(p.source for p in trivial), *(mutant.source for mutant in mutants)]
    trials = environment.try_all(problem, programs, language, controls=right)
    got = {s.path.name: t.verdict for s, t in zip(solutions, trials, strict=False)}
    assert got == {solution.path.name: solution.verdict for solution in solutions}, trials
    told = {p.name: t.verdict for p, t in zip(trivial, trials[len(solutions) :], strict=False)}
    assert all(verdict is Verdict.WRONG_ANSWER for verdict in told.values()), told
    results = zip(mutants, trials[len(solutions) + len(trivial) :], strict=True)
    accepted = [mutant for mutant, trial in results if trial.verdict is Verdict.ACCEPTED]
    assert len(accepted) <= (1 - MIN_SCORE) * len(mutants), accepted
    assert [family.unknown for family in families if family.unknown] == []
