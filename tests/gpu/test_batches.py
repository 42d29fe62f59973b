"""Tests that programs get the same verdicts in a batch on a GPU as alone, and a proof of a problem there."""

import pytest

from judge.proof.batches.trials import ProgramBatches
from judge.proof.prove import prove
from judge.report import Report
from judge.target import Target
from problems.schema import Problem, Solution
from problems.vocabulary import Language, Verdict

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(500)]
_TRIED = {Verdict.ACCEPTED, Verdict.ILLEGAL_ACCESS, Verdict.WRONG_ANSWER, Verdict.REJECTED}


def judged_apart(problem: Problem, source: str, language: Language) -> Report:
    pytest.fail(f"no batch of {problem.slug}: a program in {language} was judged apart")


@pytest.mark.parametrize("language", [Language.CUDA, Language.TRITON])
def test_a_batch_says_what_a_submission_gets(target: Target, vector_add: Problem, language: Language) -> None:
    written = [solution for solution in vector_add.solutions if solution.language is language]
    accepted = [solution for solution in written if solution.verdict is Verdict.ACCEPTED]
    tried = [solution for solution in written if solution.verdict in _TRIED]
    batches = ProgramBatches(vector_add, language, [text_of(accepted[0])], target, judged_apart)
    trials = batches.try_all([text_of(solution) for solution in tried])
    for solution, trial in zip(tried, trials, strict=True):
        assert trial.verdict in solution.allowed(on_gpu=True), (solution.path.name, trial)


def test_a_problem_proves_itself(target: Target, vector_add: Problem) -> None:
    proof = prove(vector_add, target)
    assert proof.holds, [str(finding) for finding in proof.findings]


def text_of(solution: Solution) -> str:
    return solution.path.read_text(encoding="utf-8")
