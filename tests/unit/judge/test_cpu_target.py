from dataclasses import replace

from judge.cpu_target import compile_limits
from tests.unit.judge.packages import DOUBLING


def test_a_compile_has_its_limit_in_processor_time_and_more_on_a_busy_host() -> None:
    problem = replace(DOUBLING, limits=replace(DOUBLING.limits, compile_s=20))
    limits = compile_limits(problem)
    assert limits.cpu_s == 30
    assert limits.wall_s == 80
