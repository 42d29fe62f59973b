"""A relaxed read that gets an old value after a later one is noted, with the fence that is missing."""

from contextlib import closing

import numpy as np
import pytest

from judge.cases import ORDERS
from tests.integration.functional.harness import Outcome, Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = """
#include <cuda/atomic>
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;
__device__ int value, flag;
__global__ void reset() { value = flag = 0; }
__global__ void hand_over(int* out) {
  if (blockIdx.x == 0) {
    Word(value).store(42, cuda::memory_order_relaxed);  // first write
    Word(flag).store(2, cuda::memory_order_WRITE);  // second write
  } else {
    while (Word(flag).load(cuda::memory_order_READ) < 2) {}  // first read
    *out = Word(value).load(cuda::memory_order_relaxed);  // second read
  }
}
// A sequence lock: even while nobody writes.
__global__ void sequence(int* out) {
  if (blockIdx.x == 0) {
    Word(flag).store(1, cuda::memory_order_relaxed);
    Word(value).store(42, cuda::memory_order_relaxed);  // first write
    Word(flag).store(2, cuda::memory_order_WRITE);  // second write
  } else {
    int before, found, after;
    do {
      before = Word(flag).load(cuda::memory_order_READ);  // first read
      found = Word(value).load(cuda::memory_order_relaxed);  // second read
      after = Word(flag).load(cuda::memory_order_relaxed);
    } while (before < 2 || before != after);
    *out = found;
  }
}
extern "C" void solve(int* out, int which) {
  reset<<<1, 1>>>();
  if (which) sequence<<<2, 1>>>(out);
  else hand_over<<<2, 1>>>(out);
}
"""
KERNELS = ["hand_over", "sequence"]


def outcomes(source: str, kernel: str) -> list[Outcome]:
    with closing(Runner(source)) as runner:
        return [
            runner.call(np.zeros(1, np.int32), KERNELS.index(kernel), flags=flags, time_limit_ms=20_000)
            for flags in ORDERS
        ]


def line(kernel: str, mark: str) -> int:
    return marked_lines(SOURCE, mark, kernel=kernel)[0]


def noted(ended: list[Outcome]) -> list[str]:
    return [
        str(found["message"])
        for outcome in ended
        for found in outcome.diagnostics
        if found["kind"] == "reordered_read"
    ]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("write", "read", "advice"),
    [
        (
            "relaxed",
            "relaxed",
            "between the two writes, or write in line {second write} with memory_order_release",
        ),
        (
            "relaxed",
            "acquire",
            "between the two writes, or write in line {second write} with memory_order_release",
        ),
        (
            "release",
            "relaxed",
            "between the two reads, or read in line {first read} with memory_order_acquire",
        ),
    ],
)
def test_a_reordered_read_is_noted(kernel: str, write: str, read: str, advice: str) -> None:
    source = SOURCE.replace("memory_order_WRITE", f"memory_order_{write}").replace(
        "memory_order_READ", f"memory_order_{read}"
    )
    ended = outcomes(source, kernel)
    assert not all(outcome.arrays[0][0] == 42 for outcome in ended)
    message, *_ = noted(ended)
    marks = ("first write", "second write", "first read", "second read")
    lines = {mark: line(kernel, mark) for mark in marks}
    assert f"in line {lines['second read']} an old value" in message
    assert f"wrote a new one in line {lines['first write']}" in message
    assert advice.format(**lines) in message


@pytest.mark.parametrize("kernel", KERNELS)
def test_with_release_and_acquire_nothing_is_noted(kernel: str) -> None:
    source = SOURCE.replace("memory_order_WRITE", "memory_order_release").replace(
        "memory_order_READ", "memory_order_acquire"
    )
    ended = outcomes(source, kernel)
    assert [outcome.arrays[0][0] for outcome in ended] == [42] * len(ORDERS)
    assert not noted(ended)
