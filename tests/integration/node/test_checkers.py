"""Tests a problem with its own checker on a CPU, and with timing on a simulated GPU."""

from dataclasses import replace

import pytest

from judge.errors import JudgeError, OracleFailed
from judge.evaluate import evaluate
from judge.gpu.target import GpuTarget
from judge.proof.determinism import draw_exact
from judge.proof.prove import TargetEnvironment
from judge.report import Report
from judge.target import Target
from problems.schema import Problem
from problems.vocabulary import Group, Language, Mode, Verdict
from tests.integration.node.conftest import solution

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("node-checkers")]

CHECKER = """
def check(xp, inputs, expected, got, size, tolerance):
    assert got["c"].shape == (size["n"],)
    near = xp.abs(got["c"] - inputs["a"] - inputs["b"]) <= 1e-5
    return {"c": near & (expected["c"] == inputs["a"] + inputs["b"])}
"""


@pytest.fixture(scope="module")
def checked(vector_add: Problem) -> Problem:
    return replace(vector_add, checker=CHECKER, version="checked")


def judge(target: Target, problem: Problem, name: str) -> Report:
    return evaluate(problem, solution(name), language=Language.CUDA, mode=Mode.SUBMIT, target=target)


def test_on_a_cpu(cpu_target: Target, checked: Problem) -> None:
    assert judge(cpu_target, checked, "plain.cu").verdict is Verdict.ACCEPTED
    report = judge(cpu_target, checked, "off-by-one.cu")
    assert report.verdict is Verdict.WRONG_ANSWER
    assert "never written" in report.message


def test_on_a_card_where_every_timed_repetition_is_checked(node: GpuTarget, checked: Problem) -> None:
    report = judge(node, checked, "plain.cu")
    assert report.verdict is Verdict.ACCEPTED, report
    assert report.ranked
    assert all(case.checked for case in report.cases if case.group is Group.TIMED)
    assert judge(node, checked, "off-by-one.cu").verdict is Verdict.WRONG_ANSWER


def test_one_that_breaks_is_the_problems_failure(cpu_target: Target, checked: Problem) -> None:
    broken = replace(checked, checker="def check(*arguments, **sizes):\n    return 1 / 0\n")
    with pytest.raises(OracleFailed, match=r"vector-add: checking case .*: died: ZeroDivisionError"):
        judge(cpu_target, broken, "plain.cu")


def test_one_that_breaks_on_a_card_is_charged_to_nobody(node: GpuTarget, checked: Problem) -> None:
    broken = replace(checked, checker="def check(*arguments, **sizes):\n    return 1 / 0\n", version="broken")
    with pytest.raises(JudgeError, match="ZeroDivisionError"):
        judge(node, broken, "plain.cu")


def test_a_proof_asks_it_in_its_sandbox(cpu_target: Target, checked: Problem) -> None:
    environment = TargetEnvironment(cpu_target)
    [first, *_] = draw_exact(checked, environment.oracle)
    right = first.expected["c"].astype("float32")
    with environment.checker(checked) as accepts:
        assert accepts(first, {"c": right})
        assert not accepts(first, {"c": right + 1})
