"""Tests the gate on hosts without a GPU: its steps (landing, opening, copying) and their order."""

from typing import cast

import numpy as np
import pytest

from judge.clock.contracts import Ordering
from judge.clock.host_gate import HostGate
from judge.clock.page import OrderUnanswered
from judge.runner.buffers import HostMemory
from judge.runner.client import ReplyStatus
from judge.runner.memory import Buffer


class Recorded:
    """`Ordering` to a runner that doubles x into y between `open` and `await_done`, in `takes_us`."""

    def __init__(self, x: Buffer, y: Buffer, takes_us: float = 250.0) -> None:
        self.x, self.y, self.takes_us = x, y, takes_us
        self.steps: list[str] = []
        self.seen: list[float] = []
        self.now_ns = 0

    def now(self) -> int:
        return self.now_ns

    def open(self) -> None:
        self.steps.append("open")
        read = self.x.snapshot()
        assert isinstance(read, np.ndarray)
        self.seen = read.view(np.float32).tolist()
        self.y.fill((read.view(np.float32) * 2).view(np.uint8))

    def await_done(self, *, timeout_s: float) -> None:
        self.steps.append(f"await {timeout_s:g}")
        self.now_ns += int(self.takes_us * 1000)


def test_a_call_sees_what_landed_and_its_outputs_are_copied() -> None:
    memory, gate = HostMemory(), HostGate()
    inputs = np.array([1, 2, 3], np.float32)
    copy = np.zeros(12, np.uint8)
    with memory.buffer("x", 12) as x, memory.buffer("y", 12) as y:
        x.poison()
        orders = Recorded(x, y)
        seen = gate.call(
            cast("Ordering", orders),
            [(x, inputs.view(np.uint8))],
            [(y, copy)],
            queued=False,
            watch_first=True,
            timeout_s=7,
        )
        y.poison()
    assert orders.steps == ["open", "await 7"]
    assert orders.seen == [1, 2, 3]
    assert copy.view(np.float32).tolist() == [2, 4, 6]
    assert (seen.alone, seen.moved, seen.timed_out) == (True, 0, False)
    assert seen.last_us == seen.done_us == pytest.approx(250.0)
    gate.close()


def test_calls_cannot_be_queued_there() -> None:
    assert HostGate().descriptor is None


def test_a_runner_that_ends_ends_the_call() -> None:
    class Gone(Recorded):
        def await_done(self, *, timeout_s: float) -> None:
            raise OrderUnanswered(ReplyStatus.DIED)

    memory = HostMemory()
    copy = np.zeros(4, np.uint8)
    with memory.buffer("x", 4) as x, memory.buffer("y", 4) as y, pytest.raises(OrderUnanswered):
        HostGate().call(
            cast("Ordering", Gone(x, y)), [], [(y, copy)], queued=False, watch_first=True, timeout_s=1
        )
    assert not copy.any()
