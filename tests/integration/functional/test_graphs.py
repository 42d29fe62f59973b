"""Tests captures of several streams at once, updates of graphs, and copies of pageable memory in them."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import Outcome, Runner

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "graphs.cu").read_text()
N = 256
X = np.random.default_rng(1).integers(1, 1000, N).astype(np.int32)
RIGHT = ("two_captures", "updates", "instantiates_again")
# With words of the finding. As on an H200 with CUDA 13.0.
REFUSED = {
    "merges_captures": ("belong to different captures", "cudaErrorStreamCaptureMerge"),
    "captures_twice": (
        "cudaStreamBeginCapture: the stream is already being captured",
        "cudaErrorIllegalState",
    ),
    "ignores_failed_update": (
        "cudaGraphExecUpdate: the new graph has different nodes or edges. Instantiate the new graph",
    ),
}
NAMES = (
    "two_captures",
    "spoils_one_capture",
    "merges_captures",
    "captures_twice",
    "updates",
    "instantiates_again",
    "ignores_failed_update",
    "copies_pageable_memory",
)


def outcomes(name: str, orders: tuple[RunFlag, ...] = (RunFlag.NONE, *ORDERS)) -> list[Outcome]:
    ended: list[Outcome] = []
    with closing(Runner(SOURCE)) as runner:
        for flags in orders:
            ended.append(runner.call(X, np.full(N, -7, np.int32), N, NAMES.index(name), flags=flags))
            if ended[-1].status is not None:
                break
    return ended


def right(outcome: Outcome) -> bool:
    return outcome.status is None and bool((outcome.arrays[1] == X + 2).all())


@pytest.mark.parametrize("name", RIGHT)
def test_what_cuda_permits_is_right_and_clean(name: str) -> None:
    ended = outcomes(name)
    assert [right(outcome) for outcome in ended] == [True] * 4, ended
    assert {found["kind"] for outcome in ended for found in outcome.diagnostics} <= {"launch"}


def test_a_call_that_one_capture_does_not_permit_leaves_the_other_one_valid() -> None:
    ended = outcomes("spoils_one_capture")
    assert all(right(outcome) for outcome in ended), ended


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_call_ends_in_an_error_that_says_why(name: str) -> None:
    (ended,) = outcomes(name)
    assert ended.status == ExitStatus.RUNTIME_ERROR
    for words in REFUSED[name]:
        assert words in str(ended.diagnostics)


def test_copies_of_pageable_memory_in_a_graph_are_noted_for_each_launch() -> None:
    (ended,) = outcomes("copies_pageable_memory", (ORDERS[0] | RunFlag.COUNT,))
    assert right(ended)
    to_device, to_host = sorted(
        (str(found["message"]) for found in ended.diagnostics if found["kind"] == "pageable_copy"),
        reverse=True,
    )
    copied = "cudaMemcpyAsync ({}) copies 2048 bytes of pageable memory in 2 executions of captured copies. "
    assert to_host.startswith(
        copied.format("device to host") + "cudaGraphLaunch returns only when such a copy has ended."
    )
    assert to_device.startswith(
        copied.format("host to device") + "cudaGraphLaunch copies the memory to a buffer of the driver"
    )
