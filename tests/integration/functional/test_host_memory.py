"""Tests arguments in host memory: allowed uses by host code, copies and kernels, and the findings."""

from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import Outcome, Runner

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "host_memory.cu").read_text()
N = 1000
X = np.arange(N, dtype=np.float32)
# In the order of kPrograms in host_memory.cu.
PROGRAMS = (
    *("copies", "on_host", "direct", "reads_past", "writes_before", "writes_just_past", "copies_too_much"),
    *("sets", "frees", "frees_as_host", "registers", "leaves_registered", "registers_half"),
    *("past_the_end", "reads_early", "says_kinds"),
)
PAGEABLE, PINNED = ("host", "host"), ("pinned", "pinned")


def outcome(program: str, memory: tuple[str, ...], flags: RunFlag = RunFlag.NONE) -> Outcome:
    """How the program ends, in one call."""
    return outcomes(program, memory, flags)[-1]


def outcomes(program: str, memory: tuple[str, ...], *orders: RunFlag) -> list[Outcome]:
    """How it ends in each of the orders, up to the first that ended the runner."""
    runner = Runner(SOURCE)
    ended: list[Outcome] = []
    try:
        for flags in orders:
            y = np.full(N, -7, np.float32)
            ended.append(runner.call(X, y, N, PROGRAMS.index(program), flags=flags, memory=memory))
            if ended[-1].status is not None:
                break
        return ended
    finally:
        runner.close()


@pytest.mark.parametrize("memory", [PAGEABLE, PINNED, ("host", "pinned")])
@pytest.mark.parametrize("program", ["copies", "on_host"])
def test_copies_and_host_code_use_arrays_in_host_memory(program: str, memory: tuple[str, ...]) -> None:
    for ended in outcomes(program, memory, *ORDERS):
        assert ended.status is None, ended.diagnostics
        assert np.array_equal(ended.arrays[1], 2 * X)
        assert ended.guards_intact
        assert not [found for found in ended.diagnostics if found["severity"] != "note"]


def test_kernels_use_pinned_memory() -> None:
    for ended in outcomes("direct", PINNED, RunFlag.NONE, *ORDERS):
        assert ended.status is None, ended.diagnostics
        assert np.array_equal(ended.arrays[1], 2 * X)


@pytest.mark.parametrize("flags", [RunFlag.DETERMINISTIC, ORDERS[0]])
def test_a_kernel_that_reads_pageable_memory_is_told_of_the_argument(flags: RunFlag) -> None:
    ended = outcome("direct", PAGEABLE, flags)
    assert ended.status == ExitStatus.ILLEGAL_ACCESS
    found = ended.finding("host_pointer")
    assert "read of 4 bytes from pageable host memory: element 0 of 1000 of argument x" in found["message"]
    assert "cudaMemcpy" in found["message"]
    assert found["array"] == "x"
    assert found["line"] == 8


def test_a_kernel_gets_to_a_registered_array_and_not_past_what_is_registered() -> None:
    for ended in outcomes("registers", PAGEABLE, RunFlag.NONE, *ORDERS):
        assert ended.status is None, ended.diagnostics
        assert np.array_equal(ended.arrays[1], 2 * X)
    ended = outcome("registers_half", PAGEABLE, RunFlag.DETERMINISTIC)
    assert ended.status == ExitStatus.ILLEGAL_ACCESS
    assert "element 500 of 1000 of argument x" in ended.finding("host_pointer")["message"]


def test_what_a_call_leaves_registered_is_forgotten_before_the_next() -> None:
    for ended in outcomes("leaves_registered", PAGEABLE, *ORDERS, *ORDERS):
        assert ended.status is None, ended.diagnostics
        assert np.array_equal(ended.arrays[1], 2 * X)


@pytest.mark.parametrize("memory", [PAGEABLE, PINNED])
def test_a_host_access_that_runs_away_is_found(memory: tuple[str, ...]) -> None:
    past = outcome("reads_past", memory)
    assert past.status == ExitStatus.ILLEGAL_ACCESS
    found = past.finding("out_of_bounds")
    assert "host code read out of bounds: element 6000 of 1000 of argument x" in found["message"]
    before = outcome("writes_before", memory)
    assert "host code wrote out of bounds: element -1 of 1000 of argument y" in str(before.diagnostics)


@pytest.mark.parametrize("memory", [PAGEABLE, PINNED])
def test_a_write_just_past_the_end_reaches_the_guard_band(memory: tuple[str, ...]) -> None:
    ended = outcome("writes_just_past", memory)
    assert ended.status is None
    assert not ended.guards_intact


@pytest.mark.parametrize("memory", [PAGEABLE, PINNED])
def test_copies_check_the_bounds_of_an_argument(memory: tuple[str, ...]) -> None:
    ended = outcome("copies_too_much", memory)
    assert ended.status == ExitStatus.RUNTIME_ERROR
    assert "the source has room for 4000 bytes from there (argument x), not 4004" in str(ended.diagnostics)


def test_pageable_memory_is_not_set_by_the_device() -> None:
    ended = outcome("sets", PAGEABLE)
    assert ended.status == ExitStatus.RUNTIME_ERROR
    assert "the destination is host memory, but the direction says device" in str(ended.diagnostics)
    assert np.array_equal(outcome("sets", PINNED).arrays[1], np.zeros(N))


@pytest.mark.parametrize("memory", [PAGEABLE, PINNED])
@pytest.mark.parametrize("program", ["frees", "frees_as_host"])
def test_an_argument_cannot_be_freed(program: str, memory: tuple[str, ...]) -> None:
    ended = outcome(program, memory)
    assert ended.status == ExitStatus.ILLEGAL_ACCESS
    assert "argument x, which belongs to the caller of solve()" in ended.finding("bad_free")["message"]


def test_a_kernel_that_leaves_pinned_memory_is_told_of_the_element() -> None:
    ended = outcome("past_the_end", PINNED, RunFlag.DETERMINISTIC)
    assert ended.status == ExitStatus.ILLEGAL_ACCESS
    assert "argument x: element 1000 of 1000" in ended.finding("out_of_bounds")["message"]


def test_a_host_access_before_a_copy_to_pinned_memory_has_ended_is_a_hazard() -> None:
    ended = outcomes("reads_early", PINNED, *ORDERS)
    assert all(one.status is None for one in ended)
    found = ended[0].finding("stream_hazard")
    assert "element 0 of 1000 of argument y: host code" in found["message"]
    assert any(one.arrays[1][0] != 1 for one in ended)


def test_copies_to_pageable_memory_end_before_the_call_returns() -> None:
    for ended in outcomes("reads_early", PAGEABLE, *ORDERS):
        assert ended.status is None
        assert ended.arrays[1][0] == 1
        assert not [found for found in ended.diagnostics if found["kind"] == "stream_hazard"]


def test_the_program_can_ask_what_a_pointer_is() -> None:
    runner = Runner(SOURCE)
    try:
        runner.call(X, X.copy(), N, PROGRAMS.index("says_kinds"), memory=("host", "pinned"))
        assert runner.finish() == "pageable; pinned, mapped\n"
    finally:
        runner.close()
