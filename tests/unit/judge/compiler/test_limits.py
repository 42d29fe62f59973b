"""Tests who is charged for a compilation that exceeds the limits."""

from dataclasses import replace

import pytest

from judge.compiler.limits import compile_limits, failed_build
from judge.errors import CompilerBroken
from problems.vocabulary import Verdict
from sandbox.compiled import Compiled, CompileOutcome, exceeded
from sandbox.spec import Termination
from tests.unit.judge.packages import DOUBLING

PROBLEM = replace(DOUBLING, limits=replace(DOUBLING.limits, compile_s=20))


def ended(ending: Termination) -> Compiled:
    return Compiled(CompileOutcome.EXCEEDED, None, f"{exceeded(ending)}\n", ending, 80.0)


def test_processor_time_is_the_limit_and_a_busy_host_gets_more_by_the_clock() -> None:
    limits = compile_limits(PROBLEM)
    assert (limits.cpu_s, limits.wall_s) == (30, 80)
    assert 0 < limits.idle_s < limits.wall_s
    assert compile_limits(PROBLEM, architectures=3).cpu_s == 70


@pytest.mark.parametrize(
    "ending", [Termination.CPU_TIME, Termination.IDLE, Termination.MEMORY, Termination.OUTPUT]
)
def test_the_program_is_charged_for_what_it_makes_the_compiler_do(ending: Termination) -> None:
    built = failed_build(ended(ending), PROBLEM, "")
    assert (built.failure, built.message) == (Verdict.COMPILE_ERROR, exceeded(ending))


@pytest.mark.parametrize(
    ("ending", "reason"), [(Termination.WALL_TIME, "overloaded"), (Termination.KILLED, "killed from outside")]
)
def test_the_host_is_at_fault_if_it_had_no_time(ending: Termination, reason: str) -> None:
    with pytest.raises(CompilerBroken, match=f"within 80 s.*{reason}"):
        failed_build(ended(ending), PROBLEM, "")
