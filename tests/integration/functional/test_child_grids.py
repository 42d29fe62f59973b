"""Tests kernels that launch kernels: missing order is found and fails in one of the orders; limits hold."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.cases import ORDERS
from judge.evidence.diagnostics import parse_diagnostics
from judge.evidence.launches import parse_launches
from judge.evidence.sums import Event, parse_sums
from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import Outcome, Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
KERNELS = Path(__file__).parent / "kernels"
N = 256
X = np.random.default_rng(1).integers(1, 1000, N).astype(np.int32)
GRIDS = (KERNELS / "child_grids.cu").read_text()
# In the order of kPrograms in child_grids.cu, with the comments of the lines that race; none: not a race.
UNORDERED = {
    "reads_early": ("reads early",),
    "writes_late": ("writes late",),
    "lacks_barrier": ("before the barrier",),
    "lacks_warp_barrier": ("before the warp barrier",),
    "lacks_other_blocks": ("in any block",),
    "last_block_launches": ("counted",),
    "adds_from_two_blocks": ("plain addition",),
    "forgets_order": (),
    "lacks_event": (),
    "waits_for_grandchild": ("reads a grandchild",),
    "tails_in_order": None,
}


def outcomes(name: str, ordered: int) -> list[Outcome]:
    with closing(Runner(GRIDS, device_launches=True)) as runner:
        return [
            runner.call(X, np.full(N, -7, np.int32), N, list(UNORDERED).index(name), ordered, flags=flags)
            for flags in ORDERS
        ]


def right(outcome: Outcome) -> bool:
    return bool((outcome.arrays[1] == X + 2).all())


def races(ended: list[Outcome]) -> list[str]:
    return [
        str(found["message"]) for outcome in ended for found in outcome.diagnostics if found["kind"] == "race"
    ]


def line_of(comment: str) -> int:
    return marked_lines(GRIDS, comment)[0]


@pytest.mark.parametrize("name", UNORDERED)
def test_what_lacks_an_order_is_found_and_wrong_in_one_of_the_orders(name: str) -> None:
    ended = outcomes(name, 0)
    assert all(outcome.status is None for outcome in ended), ended
    assert not all(right(outcome) for outcome in ended)
    comments = UNORDERED[name]
    found = races(ended)
    assert bool(found) == (comments is not None)
    for comment in comments or ():
        assert any(f"(line {line_of(comment)})" in message for message in found), found


@pytest.mark.parametrize("name", UNORDERED)
def test_its_twin_with_the_order_is_right_and_clean(name: str) -> None:
    ended = outcomes(name, 1)
    assert [outcome.status for outcome in ended] == [None] * len(ORDERS), ended
    assert [right(outcome) for outcome in ended] == [True] * len(ORDERS)
    assert not races(ended)
    assert {found["kind"] for outcome in ended for found in outcome.diagnostics} <= {"launch"}


def limits(program: int, count: int = 0, flags: RunFlag = RunFlag.NONE) -> tuple[Outcome, str]:
    """How the program ends, and what it printed."""
    source = (KERNELS / "child_grid_limits.cu").read_text()
    with closing(Runner(source, device_launches=True)) as runner:
        outcome = runner.call(np.zeros(1, np.int32), program, count, flags=flags)
        return outcome, outcome.output if outcome.status is not None else runner.finish()


def error(outcome: Outcome) -> dict[str, Any]:
    assert outcome.status == ExitStatus.RUNTIME_ERROR
    return outcome.finding("cuda_error")


@pytest.mark.parametrize("flags", ORDERS)
def test_grids_nest_up_to_the_limit(flags: RunFlag) -> None:
    outcome, _ = limits(0, flags=flags)
    message = str(error(outcome)["message"])
    assert "cudaErrorLaunchMaxDepthExceeded" in message
    assert "kernel deeper would be a grid at depth 25" in message
    assert "line 6" in message


@pytest.mark.parametrize("flags", ORDERS)
def test_an_error_that_the_thread_checks_ends_nothing(flags: RunFlag) -> None:
    outcome, output = limits(2, flags=flags)
    assert outcome.status is None
    assert outcome.arrays[0][0] == 25
    assert output == "cudaErrorLaunchMaxDepthExceeded, then 0\n"


@pytest.mark.parametrize("flags", [RunFlag.NONE, *ORDERS])
def test_a_chain_of_tail_launches_may_be_long(flags: RunFlag) -> None:
    outcome, _ = limits(1, 3000, flags=flags)
    assert outcome.status is None
    assert outcome.arrays[0][0] == 3001


@pytest.mark.parametrize("flags", [RunFlag.NONE, ORDERS[0]])
def test_too_many_grids_wait(flags: RunFlag) -> None:
    outcome, _ = limits(3, 2048, flags=flags)
    assert outcome.status is None
    assert outcome.arrays[0][0] == 2048
    outcome, _ = limits(3, 2049, flags=flags)
    message = str(error(outcome)["message"])
    assert "while 2048 child grids wait to start" in message
    assert "cudaLimitDevRuntimePendingLaunchCount" in message


def test_the_host_may_raise_the_limit() -> None:
    outcome, _ = limits(9, 4000)
    assert outcome.status is None
    assert outcome.arrays[0][0] == 4000


def test_a_wrong_configuration_and_a_wrong_stream_are_errors() -> None:
    assert "cudaErrorInvalidConfiguration" in str(error(limits(4)[0])["message"])
    assert "a stream that device code did not create" in str(error(limits(5)[0])["message"])


@pytest.mark.parametrize(
    ("program", "words"), [(6, "shared memory of the block"), (7, "a local variable of the thread")]
)
def test_children_cannot_get_pointers_to_shared_or_local_memory(program: int, words: str) -> None:
    outcome, _ = limits(program)
    assert outcome.status == ExitStatus.ILLEGAL_ACCESS
    assert words in str(outcome.finding("address_space")["message"])


@pytest.mark.parametrize("flags", ORDERS)
def test_device_code_may_allocate_for_its_children(flags: RunFlag) -> None:
    outcome, _ = limits(8, flags=flags)
    assert outcome.status is None
    assert outcome.arrays[0][0] == 1


def test_launches_are_counted_with_their_line() -> None:
    source = (KERNELS / "child_grid_limits.cu").read_text()
    with closing(Runner(source, device_launches=True)) as runner:
        flags = ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS
        outcome = runner.call(np.zeros(1, np.int32), 3, 12, flags=flags)
    text = "\n".join(map(json.dumps, outcome.diagnostics)).encode()
    diagnostics = parse_diagnostics(text)
    (sums,) = parse_sums(diagnostics)
    line = next(at for at, text in enumerate(source.split("\n"), 1) if text.endswith("// the loop"))
    assert sums.launches == 13
    assert sums.events["device_launches"] == Event(12, line)
    note = outcome.finding("device_launches")
    assert note["message"] == "kernel many launched 12 grids of kernel one"
    assert note["line"] == line
    assert {launch.kernel for launch in parse_launches(diagnostics)} == {"many", "one"}
