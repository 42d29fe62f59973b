"""Custom values and drawn scalars on a GPU: through oracle, referee, timed calls and checker."""

import math
from dataclasses import replace

import pytest

from judge.evaluate import evaluate
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from tests.drawn_scalars import CHECKER, program, scaled
from tests.gpu.conftest import Judge

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(600)]


def plain(slug: str) -> str:
    return (problems_root() / slug / "solutions" / "plain.cu").read_text()


def test_values_of_ones_own_are_judged(target: Target, vector_add: Problem) -> None:
    for _ in range(2):  # the second time with an oracle that was loaded before
        report = evaluate(
            vector_add,
            plain("vector-add"),
            language=Language.CUDA,
            mode=Mode.RUN,
            target=target,
            sizes={"n": 3},
            values={"a": (1.0, math.inf, math.nan)},
        )
        assert report.verdict is Verdict.ACCEPTED, report
        (case,) = report.cases
        assert case.inputs[0].values == ("1", "inf", "nan")
        assert case.outputs[0].values[1:] == case.outputs[0].expected[1:] == ("inf", "nan")


def test_integers_of_ones_own_are_judged(target: Target) -> None:
    problem = load_problem(problems_root() / "histogram")
    report = evaluate(
        problem,
        plain("histogram"),
        language=Language.CUDA,
        mode=Mode.RUN,
        target=target,
        sizes={"n": 4, "bins": 3},
        values={"input": (0, 2, 2, 1)},
    )
    assert report.verdict is Verdict.ACCEPTED, report
    assert report.cases[0].outputs[0].values == ("1", "1", "2")


def test_a_drawn_scalar_reaches_checked_and_timed_calls(judge: Judge, vector_add: Problem) -> None:
    problem = scaled(vector_add)
    report = judge(program("alpha"), Language.CUDA, problem=problem)
    assert report.verdict is Verdict.ACCEPTED, report
    assert report.ranked
    told = {case.name: case.scalars["alpha"] for case in report.cases}
    assert told.pop("example") == "0.75"
    assert len(set(told.values())) == len(told)
    assert any(case.group is Group.TIMED for case in report.cases)
    assert judge(program("0.75f"), Language.CUDA, problem=problem).verdict is Verdict.WRONG_ANSWER


def test_a_checker_on_the_gpu_knows_a_drawn_scalar(judge: Judge, vector_add: Problem) -> None:
    problem = replace(scaled(vector_add), checker=CHECKER, version="scaled-checked")
    assert judge(program("alpha"), Language.CUDA, problem=problem).verdict is Verdict.ACCEPTED
    assert judge(program("1.9f"), Language.CUDA, problem=problem).verdict is Verdict.WRONG_ANSWER
