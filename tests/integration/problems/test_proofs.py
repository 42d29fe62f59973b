"""Every shipped problem proves itself.

What costs most is done once: `test_solutions` judges the solutions one by one, as submissions are judged, and
here they are taken to get the verdicts that they declare. In a batch they are controls, so one that
fails is noticed here too.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from judge.proof.mutants.score import MIN_SCORE
from judge.proof.programs import try_programs
from judge.proof.prove import TargetEnvironment, examine
from judge.proof.results import Proof
from judge.report import Report
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Language, Severity, Verdict

pytestmark = [pytest.mark.integration, pytest.mark.proof]

PROBLEMS = [load_problem(path.parent) for path in sorted(problems_root().glob("*/problem.toml"))]


@dataclass(frozen=True, slots=True)
class TrustingEnvironment(TargetEnvironment):
    """Judges nothing that a problem declares a verdict of, unless the proof needs its figures or cases."""

    def judge(self, problem: Problem, source: str, language: Language) -> Report:
        for solution in problem.solutions:
            if solution.verdict is Verdict.REQUIREMENT_MISSED or problem.under_test is not None:
                continue
            if solution.path.read_text(encoding="utf-8") == source:
                return Report(solution.verdict, "as declared", (), ())
        return TargetEnvironment.judge(self, problem, source, language)


def name_of(problem: Problem) -> str:
    """A test's name."""
    return problem.slug


@pytest.mark.parametrize("problem", PROBLEMS, ids=name_of)
def test_package(cpu_target: Target, problem: Problem) -> None:
    """Cases, seeds, tolerances and the example hold."""
    found = examine(problem, TargetEnvironment(cpu_target)).findings
    assert [finding for finding in found if finding.severity is Severity.ERROR] == []


@pytest.mark.parametrize("problem", PROBLEMS, ids=name_of)
def test_programs(
    cpu_target: Target, problem: Problem, record_property: Callable[[str, object], None]
) -> None:
    """Programs that compute nothing, and mutants of the solutions, fail."""
    proof = try_programs(
        problem, TrustingEnvironment(cpu_target), Proof(problem.slug, problem.version, (), ()), lambda _: None
    )
    survivors = [mutant for mutant in proof.mutants if mutant.counts and not mutant.fails]
    assert [finding for finding in proof.findings if finding.severity is Severity.ERROR] == [], survivors
    assert all(outcome.holds for outcome in proof.outcomes)
    if not proof.mutants:  # of programs in PyTorch there are none
        return
    assert proof.mutation_score is not None
    assert proof.mutation_score >= MIN_SCORE
    record_property("mutation_score", proof.mutation_score)
