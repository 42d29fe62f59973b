"""Tests the counts of a program's calls of the CUDA runtime, with the most expensive call."""

import json
from collections.abc import Iterator
from contextlib import closing
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from judge.evidence.diagnostics import parse_diagnostics
from judge.evidence.sums import Event, LaunchShape, Sums, parse_sums
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "host_trace.cu").read_text()
N = 1000
BYTES = 4 * N
SUMMED = ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS


class Way(IntEnum):
    """How the source doubles the elements."""

    ON_DEVICE = 0
    BY_PAGEABLE = 1
    BY_PINNED = 2
    BY_POOL = 3
    BY_GRAPH = 4
    TIMED = 5
    TIMED_BY_DEFAULT = 6
    TIMED_ELSEWHERE = 7
    TIMED_ACROSS = 8
    TIMED_EARLY = 9
    TWO_STREAMS = 10
    COOPERATIVE = 11
    LEAKING = 12


@pytest.fixture
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def called(runner: Runner, way: Way) -> Outcome:
    return runner.call(np.ones(N, np.float32), N, way, flags=SUMMED)


def traced(runner: Runner, way: Way) -> Sums:
    outcome = called(runner, way)
    assert outcome.status is None
    (sums,) = parse_sums(parse_diagnostics("\n".join(map(json.dumps, outcome.diagnostics)).encode()))
    return sums


def test_copies_within_the_device(runner: Runner) -> None:
    assert traced(runner, Way.ON_DEVICE).events == {
        "device_allocations": Event(1, call="cudaMalloc"),
        "copies_on_device": Event(2, call="cudaMemcpy"),
        "launches_outside_graphs": Event(1),
        "kernel_streams": Event(1),
        "device_frees": Event(1, call="cudaFree"),
        "host_synchronisations": Event(1, call="cudaFree"),
        "device_memory_peak": Event(BYTES),
    }


def test_pageable_memory_makes_the_host_wait(runner: Runner) -> None:
    assert traced(runner, Way.BY_PAGEABLE).events == {
        "copies_to_host": Event(1, call="cudaMemcpy"),
        "bytes_to_host": Event(BYTES, call="cudaMemcpy"),
        "copies_to_device": Event(1, call="cudaMemcpyAsync"),
        "bytes_to_device": Event(BYTES, call="cudaMemcpyAsync"),
        "pageable_copies": Event(2, call="cudaMemcpy"),
        "host_synchronisations": Event(2, call="cudaDeviceSynchronize"),
        "largest_copy_bytes": Event(BYTES),
    }


def test_pinned_memory(runner: Runner) -> None:
    events = traced(runner, Way.BY_PINNED).events
    assert "pageable_copies" not in events
    assert events["host_synchronisations"] == Event(3, call="cudaStreamSynchronize")  # and cudaFreeHost
    assert events["pinned_allocations"] == Event(1, call="cudaMallocHost")


def test_memory_of_a_pool_is_not_held_twice(runner: Runner) -> None:
    events = traced(runner, Way.BY_POOL).events
    assert events["stream_ordered_allocations"] == Event(3, call="cudaMallocAsync")
    assert events["stream_ordered_frees"] == Event(3, call="cudaFreeAsync")
    assert events["device_memory_peak"] == Event(BYTES)
    assert "device_allocations" not in events
    assert "unfreed_allocations" not in events


def test_kernels_of_graphs_are_launches(runner: Runner) -> None:
    sums = traced(runner, Way.BY_GRAPH)
    assert sums.launches == 5 * 2 + 1
    assert sums.events["graph_instantiations"] == Event(1, call="cudaGraphInstantiate")
    assert sums.events["graph_launches"] == Event(5, call="cudaGraphLaunch")
    assert sums.events["launches_outside_graphs"] == Event(1)
    assert sums.events["kernel_streams"] == Event(1)


@pytest.mark.parametrize(
    ("way", "timed"),
    [(Way.TIMED, 1), (Way.TIMED_BY_DEFAULT, 1), (Way.TIMED_ELSEWHERE, 0), (Way.TIMED_ACROSS, 1)],
)
def test_kernels_are_timed_if_the_streams_order_them_between_the_events(
    runner: Runner, way: Way, timed: int
) -> None:
    events = traced(runner, way).events
    assert events.get("timed_launches", Event()).amount == timed
    assert events["event_records"] == Event(2, call="cudaEventRecord")


def test_the_time_of_an_event_that_the_host_has_not_waited_for(runner: Runner) -> None:
    outcome = called(runner, Way.TIMED_EARLY)
    assert outcome.status is None  # it is not kept as the last error
    finding = outcome.finding("cuda_error")
    assert finding["severity"] == "warning"
    assert "cudaErrorNotReady" in str(finding["message"])


def test_streams_that_wait_for_each_other(runner: Runner) -> None:
    events = traced(runner, Way.TWO_STREAMS).events
    assert events["kernel_streams"] == Event(2)
    assert events["stream_waits"] == Event(1, call="cudaStreamWaitEvent")
    assert events["event_records"].amount == 1


def test_cooperative_launches_and_shapes(runner: Runner) -> None:
    sums = traced(runner, Way.COOPERATIVE)
    assert sums.events["cooperative_launches"] == Event(1)
    line = next(at for at, text in enumerate(SOURCE.split("\n"), 1) if "void together" in text)
    assert sums.shapes is not None
    (shape,) = sums.shapes
    assert shape == LaunchShape(shape.registers, 0, 0, 0, 256, line)
    assert shape.registers


def test_memory_that_is_left(runner: Runner) -> None:
    events = traced(runner, Way.LEAKING).events
    assert events["unfreed_allocations"] == Event(1)
    assert events["managed_allocations"] == Event(1, call="cudaMallocManaged")
    assert events["device_memory_peak"] == Event(BYTES)
    # It is held in the next call too, which leaves as much again.
    again = traced(runner, Way.LEAKING).events
    assert (again["unfreed_allocations"], again["device_memory_peak"]) == (Event(1), Event(2 * BYTES))


def test_the_trace_is_the_same_each_time(runner: Runner) -> None:
    assert len({str(traced(runner, Way.BY_GRAPH)) for _ in range(5)}) == 1
