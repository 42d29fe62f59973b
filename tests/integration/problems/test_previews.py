"""Previews and cancelled proofs in the real sandbox, on a CPU."""

from threading import Event

import pytest

from judge.errors import JudgementCancelled
from judge.proof.preview import CaseWanted, preview
from judge.target import Target
from problems.loader import load_problem, problems_root
from worker.cancelling import CancellableEnvironment


def test_a_case_is_drawn_where_the_authors_code_belongs(cpu_target: Target) -> None:
    """Nothing but arrays comes out of the sandbox, and what breaks names its line."""
    problem = load_problem(problems_root() / "templates" / "custom")
    environment = CancellableEnvironment(cpu_target, Event())
    shown = preview(problem, CaseWanted("prime", seed=3), environment.oracle)
    given, expected = shown.arrays
    assert (given.shape, expected.shape) == ((6007,), (6007,))
    assert shown.generator_ms is not None
    assert preview(problem, CaseWanted("prime", seed=3), environment.oracle).arrays == shown.arrays


def test_a_proof_that_is_given_up_opens_no_sandbox(cpu_target: Target) -> None:
    """Neither for the reference nor for a program."""
    problem = load_problem(problems_root() / "templates" / "custom")
    cancelled = Event()
    cancelled.set()
    environment = CancellableEnvironment(cpu_target, cancelled)
    with pytest.raises(JudgementCancelled):
        environment.oracle(problem)
    with pytest.raises(JudgementCancelled):
        environment.judge(problem, "", problem.languages[0])
    with pytest.raises(JudgementCancelled):
        environment.try_all(problem, ["", ""], problem.languages[0], controls=[])
