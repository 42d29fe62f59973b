"""Tests drawn scalars on a simulated GPU: in checks, in timed calls, in the checker."""

from dataclasses import replace
from typing import Any

import pytest

from judge.evaluate import evaluate
from judge.gpu.target import GpuTarget
from judge.report import Report
from problems.schema import Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from tests.drawn_scalars import CHECKER, program, scaled

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-judging")]


@pytest.fixture(scope="module")
def scaled_add(vector_add: Problem) -> Problem:
    """Vector addition with a factor from 0.5 to 2."""
    return scaled(vector_add)


def judge(
    node: GpuTarget, problem: Problem, alpha: str, mode: Mode = Mode.SUBMIT, **options: object
) -> Report:
    source = program(alpha)
    return evaluate(problem, source, language=Language.CUDA, mode=mode, target=node, **options)  # type: ignore[arg-type]


def test_it_reaches_the_program_in_checked_and_in_timed_calls(node: GpuTarget, scaled_add: Problem) -> None:
    report = judge(node, scaled_add, "alpha")
    assert report.verdict is Verdict.ACCEPTED, report
    assert report.ranked
    told = {case.name: case.scalars["alpha"] for case in report.cases}
    assert told.pop("example") == "0.75"
    assert len(set(told.values())) == len(told)
    assert len([case for case in report.cases if case.group is Group.TIMED]) == 2


def test_a_program_that_takes_it_from_the_example_fails_elsewhere(
    node: GpuTarget, scaled_add: Problem
) -> None:
    report = judge(node, scaled_add, "0.75f")
    assert report.verdict is Verdict.WRONG_ANSWER
    assert report.cases[0].verdict is Verdict.ACCEPTED


def test_a_seed_draws_it_again_and_a_user_may_give_it(node: GpuTarget, scaled_add: Problem) -> None:
    run: dict[str, Any] = {"mode": Mode.RUN, "sizes": {"n": 5}}
    first, again = (judge(node, scaled_add, "alpha", seed=7, **run).cases[0] for _ in range(2))
    assert first.scalars == again.scalars
    assert first.outputs == again.outputs
    own = judge(node, scaled_add, "alpha", values={"alpha": (1.25,)}, **run)
    assert own.verdict is Verdict.ACCEPTED
    assert own.cases[0].scalars == {"alpha": "1.25"}


def test_a_checker_knows_it(node: GpuTarget, scaled_add: Problem) -> None:
    checked = replace(scaled_add, checker=CHECKER, version="scaled-checked")
    assert judge(node, checked, "alpha", mode=Mode.RUN).verdict is Verdict.ACCEPTED
    assert judge(node, checked, "1.9f", mode=Mode.RUN).verdict is Verdict.WRONG_ANSWER
