"""Tests a problem's own checker on a GPU: CuPy in a separate container, also for timed repetitions."""

from dataclasses import replace

import pytest

from problems.loader import problems_root
from problems.schema import Problem
from problems.vocabulary import Language, Verdict
from tests.gpu.conftest import Judge
from tests.integration.node.test_checkers import CHECKER

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
SOLUTIONS = problems_root() / "vector-add" / "solutions"


@pytest.mark.parametrize(
    ("file", "verdict"), [("plain.cu", Verdict.ACCEPTED), ("off-by-one.cu", Verdict.WRONG_ANSWER)]
)
def test_it_decides_what_is_right(judge: Judge, vector_add: Problem, file: str, verdict: Verdict) -> None:
    checked = replace(vector_add, checker=CHECKER, version="checked")
    report = judge((SOLUTIONS / file).read_text(), Language.CUDA, problem=checked)
    assert report.verdict is verdict, report
    assert report.ranked is (verdict is Verdict.ACCEPTED)
