"""Tests which blocks of repetitions count, depending on NVML's values before and after them."""

from dataclasses import replace

import pytest

from judge.clock.contracts import Conditions
from judge.clock.guard import GpuGuard, NoGuard
from sandbox.gpu.nvml import GpuProcess, GpuSample, Throttle

QUIET = GpuSample(
    sm_mhz=1980, memory_mhz=3201, temperature_c=41, power_w=300.5, throttle=(), free_mib=9, processes=()
)


def judged(before: GpuSample, after: GpuSample) -> str | None:
    samples = iter([before, after])
    guard = GpuGuard(lambda: next(samples), lambda pid: pid == 7)
    guard.begin()
    return guard.end()


def test_a_quiet_block_counts() -> None:
    assert judged(QUIET, QUIET) is None


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (replace(QUIET, throttle=(Throttle.SOFTWARE_THERMAL,)), "software thermal slowdown"),
        (replace(QUIET, throttle=(Throttle.POWER_BRAKE,)), "power brake"),
        (replace(QUIET, memory_mhz=1593), "memory clock changed"),
        (replace(QUIET, processes=(GpuProcess(8, 100),)), "Another process"),
    ],
)
def test_a_disturbed_block_does_not_count(after: GpuSample, words: str) -> None:
    assert words in str(judged(QUIET, after))


def test_our_own_processes_may_be_there() -> None:
    assert judged(QUIET, replace(QUIET, processes=(GpuProcess(7, 100),))) is None


def test_a_block_waits_for_a_process_that_is_ending() -> None:
    other = replace(QUIET, processes=(GpuProcess(8, 100),))
    samples = iter([other, other, QUIET, QUIET])
    guard = GpuGuard(lambda: next(samples), lambda pid: pid == 7)
    guard.begin()
    assert guard.end() is None


def test_a_session_waits_a_few_seconds_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge.clock.guard._LEAVE_S", 0.1)
    looks = 0

    def look() -> GpuSample:
        nonlocal looks
        looks += 1
        return replace(QUIET, processes=(GpuProcess(8, 100),))

    guard = GpuGuard(look, lambda pid: pid == 7)
    for _ in range(2):
        guard.begin()
        assert "Another process used the GPU: 8." in str(guard.end())
    assert looks == 6  # two more than two for each block


def blocks(*after: GpuSample) -> list[str | None]:
    samples = iter([sample for last in after for sample in (QUIET, last)])
    guard = GpuGuard(lambda: next(samples), lambda _: True)
    found = []
    for _ in after:
        guard.begin()
        found.append(guard.end())
    return found


def test_a_clock_that_fell_by_itself_does_not_count() -> None:
    _, slowed, back = blocks(QUIET, replace(QUIET, sm_mhz=1700), QUIET)
    assert "fell from 1980 to 1700" in str(slowed)
    assert back is None


def test_a_clock_that_fell_because_the_program_draws_too_much_power_counts() -> None:
    capped = replace(QUIET, sm_mhz=1500, throttle=(Throttle.POWER_CAP,))
    assert blocks(QUIET, capped) == [None, None]


def test_conditions_are_the_middle_of_the_blocks_that_counted() -> None:
    temperatures = [40, 45, 50]
    samples = iter([replace(QUIET, temperature_c=c) for c in temperatures for _ in range(2)])
    guard = GpuGuard(lambda: next(samples), lambda _: True)
    for _ in temperatures:
        guard.begin()
        assert guard.end() is None
    assert guard.conditions.temperature_c == 45
    assert guard.conditions.sm_mhz == 1980
    assert guard.conditions.power_w == 300.5


def test_what_nvml_does_not_say_is_left_out() -> None:
    silent = replace(QUIET, sm_mhz=None, memory_mhz=None, temperature_c=None, power_w=None)
    guard = GpuGuard(lambda: silent, lambda _: True)
    guard.begin()
    assert guard.end() is None
    assert guard.conditions.sm_mhz is None


def test_without_a_gpu_everything_counts() -> None:
    guard = NoGuard()
    guard.begin()
    assert guard.end() is None
    assert guard.conditions == Conditions()
