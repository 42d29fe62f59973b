"""Timed sessions on host memory: the protocol of the trusted clock, without a GPU."""

import json
import time
from collections.abc import Iterator

import numpy as np
import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.cpu.build import runner_command
from sandbox.python_runtime import triton_command
from sandbox.spec import Limits
from sandbox.wire import ExitStatus
from tests.integration.functional.harness import artifact_of, runtime
from tests.integration.sandbox.talk import Argument, Talk, wait_until

pytestmark = pytest.mark.integration

LIMITS = Limits(wall_s=120, cpu_s=120, memory_mib=1024)
CUDA = """\
__global__ void accumulate(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] += a[i];
}
void solve(const float* a, float* c, int n) {
    if (n == 13) accumulate<<<0, 64>>>(a, c, n);
    accumulate<<<(n + 63) / 64, 64>>>(a, c, n);
}
"""
TRITON = """\
import triton
import triton.language as tl

@triton.jit
def accumulate(a, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sum = tl.load(a + i, mask=i < n) + tl.load(c + i, mask=i < n)
    tl.store(c + i, sum, mask=i < n)

def solve(a, c, n):
    if n == 13:
        raise ValueError("unlucky")
    accumulate[(triton.cdiv(n, 64),)](a, c, n, BLOCK=64)
"""


@pytest.fixture(params=["cuda", "triton"])
def language(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def talk(backend: Bubblewrap, language: str) -> Iterator[Talk]:
    command = runner_command(runtime(), limits=LIMITS) if language == "cuda" else triton_command(LIMITS)
    with Talk(backend, command) as started:
        yield started


def load(talk: Talk, language: str) -> bool:
    if language == "cuda":
        return talk.load_files(artifact_of(CUDA))
    return talk.load_files(TRITON.encode(), json.dumps({"arguments": []}).encode())


def argument_set(number: int, n: int = 100) -> list[Argument]:
    return [np.arange(n, dtype=np.float32) + number, np.zeros(n, np.float32), ("int32", n)]


def test_each_order_is_one_call_with_its_set(talk: Talk, language: str) -> None:
    assert talk.prepare()
    assert load(talk, language)
    sets = [argument_set(number) for number in range(3)]
    session = talk.start_session(*sets)
    for order in (2, 1, 1, 2, 1):
        session.order(order)
    session.read_back()
    assert [calls(arguments) for arguments in sets] == [0, 3, 2]
    assert talk.end_session(session)
    assert talk.run(argument_set(0))


def test_a_call_waits_until_it_may_begin(talk: Talk, language: str) -> None:
    assert load(talk, language)
    arguments = argument_set(0)
    session = talk.start_session(arguments)
    session.order(0)
    session.give(0)
    time.sleep(0.1)
    session.read_back()
    assert calls(arguments) == 1
    assert not session.done
    assert not session.queued
    session.open()
    wait_until(lambda: session.done)
    session.read_back()
    assert calls(arguments) == 2
    assert session.queued
    assert talk.end_session(session)


def test_a_session_before_loading_is_refused(talk: Talk) -> None:
    assert talk.prepare()
    session = talk.start_session(argument_set(0))
    assert talk.end().status not in (0, *ExitStatus)
    assert not talk.end_session(session)


def test_a_failing_call_ends_the_process(talk: Talk, language: str) -> None:
    assert load(talk, language)
    session = talk.start_session(argument_set(0, 13))
    if language == "cuda":  # this engine looks for launch errors when the session ends
        session.order(0)
        assert not talk.end_session(session)
    else:
        with pytest.raises(AssertionError, match="not carried out"):
            session.order(0, timeout_s=2)
        assert not session.done
    assert talk.end().status == ExitStatus.RUNTIME_ERROR


def test_a_session_ends_with_its_host(talk: Talk, language: str) -> None:
    assert load(talk, language)
    session = talk.start_session(argument_set(0))
    session.order(0)
    talk.process.channel.close()
    assert talk.end().status == 0


def test_a_session_needs_sets_of_one_size(talk: Talk, language: str) -> None:
    assert load(talk, language)
    with pytest.raises(AssertionError, match="not carried out"):
        talk.start_session(argument_set(0), argument_set(1)[1:]).order(0, timeout_s=2)
    assert talk.end().status not in (0, *ExitStatus)


def calls(arguments: list[Argument]) -> int:
    """How often solve has added a to c."""
    a, c, _ = arguments
    counts = np.unique(np.round(c / np.maximum(a, 1))[1:])
    assert len(counts) == 1
    return int(counts[0])
