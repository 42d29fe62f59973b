"""Tests calls that CUDA refuses or leaves undefined: destroyed handles, functions of streams, captures."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import ExitStatus, RunFlag
from tests.integration.functional.harness import Outcome, Runner

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "refused_calls.cu").read_text()
N = 256
X = np.random.default_rng(1).integers(1, 1000, N).astype(np.int32)
# In the order of kPrograms in refused_calls.cu, with words of the finding.
REFUSED = {
    "launches_in_destroyed_stream": (
        "kernel add_one: the stream was destroyed",
        "cudaErrorInvalidResourceHandle",
    ),
    "waits_for_destroyed_stream": ("cudaStreamSynchronize: the stream was destroyed",),
    "records_destroyed_event": ("cudaEventRecord: the event was destroyed",),
    "launches_in_host_function": ("a function that cudaLaunchHostFunc", "cudaErrorNotPermitted"),
    "synchronises_in_capture": ("cudaDeviceSynchronize while a stream is captured",),
    "allocates_in_capture": ("cudaMalloc while a stream is captured", "cudaErrorStreamCaptureUnsupported"),
    "copies_in_capture": ("cudaMemcpy (device to device) in the default", "cudaErrorStreamCaptureImplicit"),
    "joins_no_other_stream": ("another stream of the capture has work", "cudaErrorStreamCaptureUnjoined"),
    "waits_for_event_outside": ("not recorded in the capture", "cudaErrorStreamCaptureIsolation"),
    "queries_in_capture": ("cudaStreamQuery during a capture", "cudaErrorStreamCaptureUnsupported"),
    "synchronises_in_relaxed_capture": ("cudaDeviceSynchronize while a stream is captured",),
    "clears_error_of_capture": (
        "there is no graph, because the capture does not permit an earlier call: cudaStreamSynchronize",
        "cudaErrorStreamCaptureInvalidated",
    ),
    "waits_for_captured_event": ("the event was recorded in a stream that was captured",),
    "launches_destroyed_graph": ("cudaGraphLaunch: the graph was destroyed",),
    "joins_default_stream": ("the default stream cannot join a capture", "cudaErrorStreamCaptureImplicit"),
}
NAMES = (*REFUSED, "launches_outside_capture")


def outcomes(name: str, proper: int) -> list[Outcome]:
    ended: list[Outcome] = []
    with closing(Runner(SOURCE)) as runner:
        for flags in (RunFlag.NONE, *ORDERS):
            out = np.full(N, -7, np.int32)
            ended.append(runner.call(X, out, N, NAMES.index(name), proper, flags=flags))
            if ended[-1].status is not None:
                break
    return ended


def right(outcome: Outcome) -> bool:
    return outcome.status is None and bool((outcome.arrays[1] == X + 2).all())


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_call_ends_in_an_error_that_says_why(name: str) -> None:
    (ended,) = outcomes(name, 0)
    assert ended.status == ExitStatus.RUNTIME_ERROR
    for words in REFUSED[name]:
        assert words in str(ended.diagnostics)


@pytest.mark.parametrize("name", NAMES)
def test_its_proper_twin_is_right_and_clean(name: str) -> None:
    ended = outcomes(name, 1)
    assert [right(outcome) for outcome in ended] == [True] * 4, ended
    assert {found["kind"] for outcome in ended for found in outcome.diagnostics} <= {"launch"}


def test_a_stream_outside_the_capture_is_not_recorded() -> None:
    (first, *_) = outcomes("launches_outside_capture", 0)
    assert not right(first)
