"""Traces for replays equal what the threads of known kernels do, and what the engine counts."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from judge.evidence.sums import parse_sums
from judge.replay.recorded import MOST_ACCESSES, EventKind, Trace, TraceMemory
from judge.report import Diagnostic
from problems.vocabulary import Severity
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner
from tests.integration.functional.marked_lines import marked_lines
from tests.traces import Request, brute_force, engine_counts, requests_of

pytestmark = pytest.mark.integration
FOLDER = Path(__file__).parent / "kernels"
SOURCE = (FOLDER / "trace.cu").read_text()
TRACED = ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS | RunFlag.TRACE
REVERSED, SCATTERED, TOO_FAR, LONELY, REPEATED = range(5)
LANES = 32


def line_of(comment: str) -> int:
    """The line that ends with that comment."""
    return marked_lines(SOURCE, comment)[0]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def traced(runner: Runner, n: int, kind: int, rounds: int = 1) -> tuple[Trace, Outcome]:
    memory = TraceMemory()
    try:
        x = np.arange(n, dtype=np.float32)
        outcome = runner.call(x, np.zeros(n, np.float32), n, kind, rounds, flags=TRACED, trace=memory)
        trace = memory.read()
        assert trace is not None
        return trace, outcome
    finally:
        memory.close()


def element(trace: Trace, request: Request) -> list[tuple[str, int]]:
    """Array and index of each lane's access, for elements of four bytes."""
    found = []
    for address in request.addresses:
        (array,) = [a for a in trace.arrays if a.start <= address < a.start + a.bytes]
        found.append((array.name, (address - array.start) // 4))
    return found


def test_the_trace_of_a_kernel_with_a_barrier_equals_what_its_threads_do(runner: Runner) -> None:
    n = 100
    trace, outcome = traced(runner, n, REVERSED)
    assert outcome.status is None
    (launch,) = trace.launches
    assert (launch.kernel, launch.grid, launch.block, launch.shared_bytes) == (
        "reversed",
        (2, 1, 1),
        (64, 1, 1),
        256,
    )
    assert (trace.level, trace.shortened) == (0, False)
    assert {(array.name, array.bytes, array.element_bytes) for array in trace.arrays} == {
        ("x", 4 * n, 4),
        ("out", 4 * n, 4),
    }
    expected: list[tuple[int, int, str, list[object]]] = []
    for block in range(2):
        for warp in range(2):
            threads = range(warp * LANES, (warp + 1) * LANES)
            inside = [t for t in threads if block * 64 + t < n]
            if inside:
                expected.append((block, warp, "read", [("x", block * 64 + t) for t in inside]))
            expected.append((block, warp, "write shared", [4 * t for t in threads]))
            expected.append((block, warp, "barrier", []))
            if inside:
                expected.append((block, warp, "read shared", [4 * (63 - t) for t in inside]))
                expected.append((block, warp, "write", [("out", block * 64 + t) for t in inside]))
    found: list[tuple[int, int, str, list[object]]] = []
    for request in requests_of(trace):
        name = request.kind.name.lower() + (" shared" if request.shared else "")
        places: list[object] = [*(request.addresses if request.shared else element(trace, request))]
        if request.kind is not EventKind.BRANCH:
            found.append((request.block, request.warp, name, places))
    assert found == expected
    lines = {request.kind: request.line for request in requests_of(trace) if not request.shared}
    assert lines[EventKind.BARRIER] == line_of("barrier")
    assert lines[EventKind.READ] == line_of("load")
    assert lines[EventKind.WRITE] == line_of("store")


def sums_of(outcome: Outcome) -> tuple[int, ...]:
    """Return the counts of the engine in the last call."""
    notes = [
        Diagnostic(Severity(said["severity"]), said["kind"], said["message"]) for said in outcome.diagnostics
    ]
    sums = parse_sums(notes)[-1]
    assert sums.complete
    return engine_counts(sums)


@pytest.mark.parametrize(
    ("kind", "n", "rounds"), [(REVERSED, 100, 1), (SCATTERED, 512, 9), (REPEATED, 64, 5)]
)
def test_requests_sectors_and_wavefronts_equal_what_the_engine_counts(
    runner: Runner, kind: int, n: int, rounds: int
) -> None:
    trace, outcome = traced(runner, n, kind, rounds)
    assert (trace.level, trace.shortened) == (0, False)
    assert brute_force(trace) == sums_of(outcome)


def test_a_long_kernel_is_thinned_out_by_whole_blocks(runner: Runner) -> None:
    n, rounds = 4096, 40  # 167936 accesses
    trace, outcome = traced(runner, n, SCATTERED, rounds)
    assert outcome.status is None
    assert (trace.level, trace.shortened) == (2, False)
    assert len(trace.addresses) == n // 4 * (rounds + 1) <= MOST_ACCESSES
    kept = {(request.block, request.warp) for request in requests_of(trace)}
    assert kept == {(block, warp) for block in range(0, 32, 4) for warp in range(4)}
    for request in requests_of(trace):
        if request.kind is EventKind.READ:
            assert request.line == line_of("scattered")
            assert len(request.addresses) == LANES


def test_one_thread_is_recorded_up_to_the_bound(runner: Runner) -> None:
    trace, _ = traced(runner, 128, LONELY, 70_000)
    assert len(trace.addresses) == MOST_ACCESSES
    assert trace.shortened


def test_a_block_that_does_too_much_keeps_complete_warps(runner: Runner) -> None:
    trace, _ = traced(runner, 128, SCATTERED, 3000)
    assert trace.shortened
    assert {request.warp for request in requests_of(trace)} == {0}
    assert all(len(request.addresses) == LANES for request in requests_of(trace))


def test_launches_beyond_the_bound_are_left_out(runner: Runner) -> None:
    trace, outcome = traced(runner, 64, REPEATED, 70)
    assert outcome.status is None
    assert (len(trace.launches), trace.shortened) == (64, True)


def test_a_program_that_ends_by_an_error_leaves_what_it_did() -> None:
    with closing(Runner(SOURCE)) as runner:
        trace, outcome = traced(runner, 64, TOO_FAR)
    assert outcome.status is not None
    assert outcome.finding("out_of_bounds")["line"] == line_of("too far")
    accesses = [r for r in requests_of(trace) if r.kind in {EventKind.READ, EventKind.WRITE}]
    assert [(r.warp, r.kind.name) for r in accesses] == [
        (0, "READ"),
        (0, "WRITE"),
        (1, "READ"),
        (1, "WRITE"),
    ]


def test_other_calls_leave_no_trace(runner: Runner) -> None:
    memory = TraceMemory()
    x = np.arange(64, dtype=np.float32)
    runner.call(x, x.copy(), 64, REVERSED, 1, flags=ORDERS[0] | RunFlag.COUNT)
    assert memory.read() is None
    memory.close()


def test_diagnostics_are_those_of_a_run_without_a_trace(runner: Runner) -> None:
    x = np.arange(64, dtype=np.float32)
    plain = runner.call(x, x.copy(), 64, REVERSED, 1, flags=TRACED & ~RunFlag.TRACE)
    _, outcome = traced(runner, 64, REVERSED)
    assert sums_of(outcome) == sums_of(plain)
