"""Tests the clock in real time: the runners' loop in a separate process, a real page and host memory.

A machine that runs tests is busy, so these tests require no precision. They require that honest work gets
about its real time, and that dishonest work does not get a better time. The exact tests use simulated time,
in tests/unit/judge/clock.
"""

import mmap
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

from judge.clock.contracts import Interfered, Policy
from judge.clock.guard import NoGuard
from judge.clock.host_gate import HostGate
from judge.clock.page import ClockOrders, create_page
from judge.clock.session import time_case
from judge.clock.sets import MemorySets
from judge.report import Timing
from judge.runner.buffers import HostMemory
from judge.runner.inspector import InspectionResult
from problems.vocabulary import Verdict
from sandbox.runner.session import CHANNEL
from sandbox.runner.timed_session import serve_orders
from tests.unit.judge.packages import DOUBLING

pytestmark = pytest.mark.integration

CASE = DOUBLING.cases[1]
CALL_S = 0.002
CONTENTS, SETS = 13, 4
TIMEOUT_S = 60
POLICY = Policy(budget_ms=600)
Floats = npt.NDArray[np.float32]
Work = Callable[[Floats, Floats], None]


def contents(seed: int) -> dict[str, npt.NDArray[np.uint8]]:
    x = np.random.default_rng(seed).random(37, dtype=np.float32)
    return {"x": x.view(np.uint8), "expected-y": (x.astype(np.float64) * 2).view(np.uint8)}


@contextmanager
def forked(serve: Callable[[], None]) -> Iterator[None]:
    """`serve` in a child that has the other end of a channel, and ends when we hang up."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    child = os.fork()
    if not child:
        try:
            ours.close()
            os.dup2(theirs.fileno(), CHANNEL)
            serve()
        finally:
            os._exit(0)
    theirs.close()
    try:
        yield
    finally:
        ours.close()
        os.waitpid(child, 0)


def arrays(sets: MemorySets) -> list[tuple[Floats, Floats]]:
    """Return the arrays that a runner maps: x and y of each set."""
    offset = sets.arguments[0].offset
    maps = [mmap.mmap(descriptor, 0) for descriptor in sets.descriptors]
    found = [np.frombuffer(whole, np.float32, count=37, offset=offset) for whole in maps]
    return list(zip(found[::2], found[1::2], strict=True))


def clocked(
    work: Work, beside: Callable[[list[tuple[Floats, Floats]]], None] = lambda _: None
) -> Timing | InspectionResult | Interfered:
    """Time `work`. `beside` runs once in the runner's process, with all sets, before the session."""
    page = create_page()
    drawn = [contents(seed) for seed in range(CONTENTS)]
    with MemorySets(DOUBLING, CASE, HostMemory(), drawn, SETS) as sets:
        pairs = arrays(sets)

        def serve() -> None:
            beside(pairs)
            serve_orders(page, [partial(work, x, y) for x, y in pairs])

        with forked(serve), ClockOrders(page, lambda: None) as orders:
            found = time_case(orders, sets, HostGate(), NoGuard(), POLICY, timeout_s=TIMEOUT_S)
            orders.end()
            orders.await_done(timeout_s=TIMEOUT_S)
        pairs.clear()
    os.close(page)
    return found


def double(x: Floats, y: Floats) -> None:
    time.sleep(CALL_S)
    y[:] = x * 2


def test_honest_work_gets_about_the_time_that_it_takes() -> None:
    found = clocked(double)
    assert isinstance(found, Timing), found
    assert CALL_S * 1e6 * 0.9 < found.median_us < CALL_S * 1e6 * 100
    assert found.low_us <= found.median_us <= found.high_us
    assert not found.queued


def test_every_content_is_new_so_work_that_is_kept_by_content_is_never_there() -> None:
    kept: dict[bytes, Floats] = {}
    honest_s = 5 * CALL_S

    def replay(x: Floats, y: Floats) -> None:
        key = x.tobytes()
        if key not in kept:
            time.sleep(honest_s)
            kept[key] = x * 2
        y[:] = kept[key]

    found = clocked(replay)
    assert isinstance(found, Timing), found
    assert found.low_us > 0.9 * honest_s * 1e6


def test_work_that_is_kept_by_pointer_is_wrong() -> None:
    kept: dict[int, Floats] = {}

    def replay(x: Floats, y: Floats) -> None:
        if x.ctypes.data not in kept:
            kept[x.ctypes.data] = x * 2
        y[:] = kept[x.ctypes.data]

    found = clocked(replay)
    assert isinstance(found, InspectionResult), found
    assert found.verdict is Verdict.WRONG_ANSWER


def test_outputs_that_come_after_the_call_are_not_right() -> None:
    def late(pairs: list[tuple[Floats, Floats]]) -> None:
        parent = os.getpid()
        if os.fork():
            return
        while os.getppid() == parent:
            time.sleep(20 * CALL_S)
            for x, y in pairs:
                y[:] = x * 2
        os._exit(0)

    found = clocked(lambda x, y: None, beside=late)
    assert isinstance(found, InspectionResult), found
    assert found.verdict in {Verdict.WRONG_ANSWER, Verdict.REJECTED}


def test_a_call_that_does_nothing_is_wrong() -> None:
    found = clocked(lambda x, y: None)
    assert isinstance(found, InspectionResult), found
    assert found.verdict is Verdict.WRONG_ANSWER
