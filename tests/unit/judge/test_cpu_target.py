"""Tests the limits of programs on CPU targets."""

import pytest

from judge.cpu.target import with_time_for
from problems.vocabulary import Language
from tests.unit.judge.packages import DOUBLING


@pytest.mark.parametrize(
    ("language", "times"), [(Language.CUDA, 1), (Language.TRITON, 2), (Language.PYTHON, 1)]
)
def test_tritons_interpreter_gets_twice_the_time_of_a_case(language: Language, times: int) -> None:
    assert with_time_for(language, DOUBLING).limits.case_s == times * DOUBLING.limits.case_s
