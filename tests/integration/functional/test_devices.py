"""Tests several virtual devices: access to each other's memory, the order of streams, results of calls."""

import json
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from judge.evidence.diagnostics import parse_diagnostics
from judge.evidence.sums import Sums, parse_sums
from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import Outcome, Runner

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "devices.cu").read_text()
N = 1000
X = np.arange(N, dtype=np.float32)
Y = -1 - X
# In the order of kPrograms in devices.cu.
PROGRAMS = (
    *("direct", "without_access", "wrong_direction", "copies", "allocates", "with_access"),
    *("waits", "forgets_to_wait", "waits_for_one_device", "foreign_stream", "says"),
    *("names_the_wrong_device", "leaves_a_device", "one_way", "with_pool_access", "without_pool_access"),
    *("relays", "computes_on_host"),
    *("variables_of_each_device", "variables_of_one_device"),
)
BETWEEN = {"copies_between_devices", "bytes_between_devices", "staged_bytes", "peer_bytes"}
# What the program `says` prints. CUDA prints the same on two GPUs; see tests/gpu/test_several_gpus.py.
SAID = (
    "devices 2 can 1",
    "itself 0",
    "set cudaErrorInvalidDevice",
    "enable cudaSuccess",
    "again cudaErrorPeerAccessAlreadyEnabled",
    "own cudaErrorPeerAccessUnsupported",
    "disable cudaSuccess",
    "disabled cudaErrorPeerAccessNotEnabled",
    "current 1",
    "owner 0",
    "owner 1",
    "owner 1",
    "stream 1",
    "pool 1",
    "record cudaSuccess",
    "foreign cudaErrorInvalidResourceHandle",
    "elapsed cudaErrorInvalidResourceHandle",
    "peer cudaErrorInvalidDevice",
)


def outcomes(program: str, *orders: RunFlag) -> list[Outcome]:
    """How the program ends in each of the orders, up to the first that ended the runner."""
    runner = Runner(SOURCE)
    ended: list[Outcome] = []
    try:
        for flags in orders:
            number = PROGRAMS.index(program)
            ended.append(runner.call(X, Y, N, number, flags=flags, devices=(0, 1), device_count=2))
            if ended[-1].status is not None:
                break
        else:
            ended[-1] = Outcome(None, ended[-1].diagnostics, runner.finish(), ended[-1].arrays)
        return ended
    finally:
        runner.close()


def swapped(ended: Outcome) -> bool:
    return np.array_equal(ended.arrays[0], Y) and np.array_equal(ended.arrays[1], X)


@pytest.mark.parametrize("program", ["direct", "copies", "with_access", "waits", "variables_of_each_device"])
def test_right_programs_swap_in_all_orders(program: str) -> None:
    for ended in outcomes(program, RunFlag.NONE, *ORDERS):
        assert ended.status is None, ended.diagnostics
        assert swapped(ended)
        assert not [found for found in ended.diagnostics if found["severity"] != "note"]


@pytest.mark.parametrize("flags", [RunFlag.NONE, RunFlag.DETERMINISTIC, ORDERS[0]])
@pytest.mark.parametrize("program", ["without_access", "wrong_direction"])
def test_memory_of_another_device_needs_peer_access(program: str, flags: RunFlag) -> None:
    (ended,) = outcomes(program, flags)
    assert ended.status == ExitStatus.ILLEGAL_ACCESS
    found = ended.finding("peer_access")
    assert "memory of device 1 by device 0, which has no access to it" in found["message"]
    assert "of 1000 of argument y" in found["message"]
    assert "cudaDeviceEnablePeerAccess(1, 0)" in found["message"]
    assert found["array"] == "y"
    assert found["line"] == 10


@pytest.mark.parametrize("flags", [RunFlag.NONE, RunFlag.DETERMINISTIC, ORDERS[0]])
def test_memory_of_a_pool_needs_access_to_the_pool(flags: RunFlag) -> None:
    (ended,) = outcomes("with_pool_access", flags)
    assert ended.status is None, ended.diagnostics
    assert np.array_equal(ended.arrays[0], np.ones(N, np.float32))
    assert ended.output.splitlines() == ["access 3"]
    (ended,) = outcomes("without_pool_access", flags)
    assert ended.status == ExitStatus.ILLEGAL_ACCESS
    assert ended.output.splitlines() == ["access 0"]
    message = ended.finding("peer_access")["message"]
    assert "of 1000 (of 4 bytes each) of the 4000-byte cudaMallocAsync allocation" in message
    assert (
        "Call cudaMemPoolSetAccess for device 0 and the memory pool of device 1 before the launch" in message
    )


@pytest.mark.parametrize("flags", [RunFlag.NONE, *ORDERS])
def test_each_device_has_variables_of_its_own(flags: RunFlag) -> None:
    (ended,) = outcomes("variables_of_one_device", flags)
    assert ended.status is None, ended.diagnostics
    assert np.array_equal(ended.arrays[0], Y)
    assert not np.array_equal(ended.arrays[1], X)


def test_an_event_of_another_device_orders_streams_and_its_lack_is_a_hazard() -> None:
    ended = outcomes("forgets_to_wait", *ORDERS)
    message = ended[0].finding("stream_hazard")["message"]
    assert "cudaMemcpyPeerAsync" in message
    assert any(not swapped(one) for one in ended)


def test_waiting_for_one_device_does_not_wait_for_another() -> None:
    ended = outcomes("waits_for_one_device", *ORDERS)
    assert "add_one" in ended[0].finding("stream_hazard")["message"]


def test_a_launch_needs_the_device_of_its_stream_to_be_current() -> None:
    (ended,) = outcomes("foreign_stream", RunFlag.NONE)
    assert ended.status == ExitStatus.RUNTIME_ERROR
    assert "launched in a stream of device 1 while device 0 was current" in str(ended.diagnostics)
    assert "cudaErrorInvalidResourceHandle" in str(ended.diagnostics)


def test_calls_answer_as_cuda_does() -> None:
    (ended,) = outcomes("says", RunFlag.NONE)
    assert ended.status is None, ended.diagnostics
    assert ended.output.splitlines() == list(SAID)


def test_a_copy_that_names_the_wrong_device_is_told_the_right_one() -> None:
    (ended,) = outcomes("names_the_wrong_device", RunFlag.NONE)
    assert ended.status is None
    found = ended.finding("copy_direction")
    assert (
        "the destination is memory of device 0 (argument x), but the call names device 1" in found["message"]
    )


def test_each_call_begins_with_device_0() -> None:
    for ended in outcomes("leaves_a_device", *ORDERS):
        assert ended.status is None, ended.diagnostics
        assert np.array_equal(ended.arrays[0], X + 1)


def test_one_device_is_all_that_other_problems_have() -> None:
    runner = Runner(SOURCE)
    try:
        ended = runner.call(X, Y, N, PROGRAMS.index("direct"))
    finally:
        runner.close()
    assert ended.status == ExitStatus.RUNTIME_ERROR
    assert "there is no device 1; the only device is device 0" in str(ended.diagnostics)


def sums_of(program: str) -> Sums:
    (ended,) = outcomes(program, ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS)
    assert ended.status is None, ended.diagnostics
    (sums,) = parse_sums(parse_diagnostics("\n".join(map(json.dumps, ended.diagnostics)).encode()))
    return sums


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("copies", {"copies_between_devices": 2, "bytes_between_devices": 8 * N, "staged_bytes": 8 * N}),
        ("with_access", {"copies_between_devices": 2, "bytes_between_devices": 8 * N}),
        ("direct", {"peer_bytes": 8 * N}),
        ("one_way", {"copies_between_devices": 1, "bytes_between_devices": 4 * N}),
    ],
)
def test_copies_between_devices_are_counted(program: str, expected: dict[str, int]) -> None:
    sums = sums_of(program)
    counted = {name: event.amount for name, event in sums.events.items()}
    assert {name: counted[name] for name in counted if name in BETWEEN} == expected
    assert "bytes_to_host" not in counted


@pytest.mark.parametrize(("program", "relayed"), [("relays", 8 * N), ("computes_on_host", 0), ("copies", 0)])
def test_bytes_that_the_host_passes_on_unchanged_are_counted(program: str, relayed: int) -> None:
    assert sums_of(program).relayed_bytes == relayed


@pytest.mark.parametrize(
    ("program", "span"),
    [("one_way", 4 * N), ("copies", 16 * N), ("with_access", 8 * N), ("relays", 16 * N)],
)
def test_copies_between_devices_take_time(program: str, span: int) -> None:
    assert sums_of(program).pipeline_span == span


def test_each_device_has_memory_of_its_own() -> None:
    (ended,) = outcomes("allocates", RunFlag.NONE)
    assert ended.status is None, ended.diagnostics
    assert ended.output.splitlines() == ["all cudaErrorMemoryAllocation", "free 0"] * 2
