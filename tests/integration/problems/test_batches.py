"""Tests that mutants get the same verdict in a batch as alone, even if only one order shows the mistake."""

import pytest

from judge.proof.batches.trials import ProgramBatches
from judge.proof.mutants.mutant import Operator
from judge.proof.mutants.selection import families_of
from judge.proof.prove import TargetEnvironment
from judge.report import Report
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Language, Verdict

pytestmark = pytest.mark.integration


def judged_apart(problem: Problem, source: str, language: Language) -> Report:
    pytest.fail(f"no batch of {problem.slug}: a program in {language} was judged apart")


def test_a_missing_barrier_fails_in_a_batch_as_it_does_alone(cpu_target: Target) -> None:
    # Its cases with a barrier are odd ones. In descending order, the thread that reads the sums is the last.
    problem = load_problem(problems_root() / "fake-quant")
    (family,) = (family for family in families_of(problem) if family.solution.path.name == "vectors.cu")
    (mutant,) = (mutant for mutant in family.mutants if mutant.operator is Operator.SYNCHRONISATION)
    alone = TargetEnvironment(cpu_target).judge(problem, mutant.source, Language.CUDA)
    batches = ProgramBatches(problem, Language.CUDA, [family.source], cpu_target, judged_apart)
    right, wrong = batches.try_all([family.source, mutant.source])
    assert (alone.verdict, wrong.verdict) == (Verdict.WRONG_ANSWER, Verdict.WRONG_ANSWER)
    assert right.verdict is Verdict.ACCEPTED
