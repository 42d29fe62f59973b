"""What programs are allowed on processors."""

from dataclasses import replace

import pytest

from judge.cpu.target import compile_limits, with_time_for
from problems.vocabulary import Language
from tests.unit.judge.packages import DOUBLING


@pytest.mark.parametrize(
    ("language", "times"), [(Language.CUDA, 1), (Language.TRITON, 2), (Language.PYTHON, 1)]
)
def test_tritons_interpreter_gets_twice_the_time_of_a_case(language: Language, times: int) -> None:
    assert with_time_for(language, DOUBLING).limits.case_s == times * DOUBLING.limits.case_s


def test_a_compile_has_its_limit_in_processor_time_and_more_on_a_busy_host() -> None:
    problem = replace(DOUBLING, limits=replace(DOUBLING.limits, compile_s=20))
    limits = compile_limits(problem)
    assert limits.cpu_s == 30
    assert limits.wall_s == 80
