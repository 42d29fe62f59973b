"""The marks of races in a replay are at the accesses that functional mode reports."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from judge.evidence.diagnostics import parse_diagnostics
from judge.replay.races import TracedRace, races_in
from judge.replay.recorded import TraceMemory
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner
from tests.integration.functional.marked_lines import marked_lines
from tests.traces import Request, requests_of

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "trace_races.cu").read_text()
TRACED = RunFlag.COUNT | RunFlag.TRACE
SHIFTED, SUMMED, CHAINED = range(3)
LANES = 32


def line_of(comment: str) -> int:
    """The line that ends with that comment."""
    return marked_lines(SOURCE, comment)[0]


@pytest.fixture
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def races_of(runner: Runner, n: int, kind: int) -> tuple[list[Request], list[TracedRace]]:
    """The events of a kernel, and the races that all orders find, marked in them."""
    x = np.arange(1, n + 1, dtype=np.float32)
    with closing(TraceMemory()) as memory:
        outcomes = [
            runner.call(x, np.zeros(4096, np.float32), n, kind, flags=ORDERS[0] | TRACED, trace=memory),
            *(runner.call(x, np.zeros(4096, np.float32), n, kind, flags=order) for order in ORDERS[1:]),
        ]
        trace = memory.read()
    assert trace is not None
    said = "\n".join(json.dumps(line) for outcome in outcomes for line in outcome.diagnostics)
    return [*requests_of(trace)], [*races_in(trace, parse_diagnostics(said.encode()))]


def address_of(request: Request, thread: int) -> int:
    """The address that a thread uses in a request of its warp."""
    assert request.warp == thread // LANES
    return request.addresses[request.lanes.index(thread % LANES)]


def check(requests: list[Request], race: TracedRace) -> tuple[Request, Request]:
    """Check that both events do what the finding says. Returns them."""
    assert race.first is not None
    assert race.second is not None
    found = requests[race.first], requests[race.second]
    for request, access in zip(found, (race.said.first, race.said.second), strict=True):
        assert (request.block, request.line) == (access.block[0], access.line)
        assert f"{request.kind.name.lower()}s" == access.operation
    first, second = (
        address_of(request, access.thread[0])
        for request, access in zip(found, (race.said.first, race.said.second), strict=True)
    )
    assert first == second
    return found


def test_a_missing_barrier_between_a_store_and_a_neighbours_load_is_marked(runner: Runner) -> None:
    requests, (race, *_) = races_of(runner, 128, SHIFTED)
    first, second = check(requests, race)
    assert "of shared array tile" in race.said.place.text
    assert race.said.in_one_block
    assert {first.line, second.line} == {line_of("store"), line_of("neighbour's load")}
    assert first.epoch == second.epoch == 0
    address = address_of(first, race.said.first.thread[0])
    assert address - 4 * race.said.place.index in {0, 256}  # one array lies behind the other


def test_the_mark_of_a_race_in_a_loop_is_between_two_rounds(runner: Runner) -> None:
    requests, races = races_of(runner, 64, SUMMED)
    assert races
    for race in races:
        first, second = check(requests, race)
        assert {first.line, second.line} == {line_of("write of a round"), line_of("read of a round")}
        assert first.epoch == second.epoch == 1


def test_a_race_between_blocks_is_marked_in_both(runner: Runner) -> None:
    requests, races = races_of(runner, 128, CHAINED)
    race = next(race for race in races if race.said.second.operation == "reads")
    first, second = check(requests, race)
    assert (first.block, first.line) == (0, line_of("write of a block"))
    assert (second.block, second.line) == (1, line_of("read of another block"))
    assert race.said.place.text == "element 63 of 4096 of argument out"
