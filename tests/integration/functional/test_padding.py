"""Tests that a copy of a struct may read its padding, and that members without a value are still reported."""

import numpy as np
import pytest

from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, run

pytestmark = pytest.mark.integration
X = np.arange(64, dtype=np.float64)

STRUCTS = {
    "in the middle": "struct Item { double value; int index; double other; };",
    "at the end": "struct Item { double value; int index; };",
    "after a small member": "struct Item { short index; int more; float value; };",
    "of whole words": "struct alignas(16) Item { float value; int index; };",
}
KERNEL = """\
%(struct)s
__global__ void broken(double* data, Item* kept) {
  __shared__ Item items[64];
  int t = threadIdx.x;
  items[t].value = data[t];
  %(index)s
  __syncthreads();
  kept[t] = items[63 - t];
  __syncthreads();
  %(again)s
  __syncthreads();
  data[t] = items[t].value + items[t].index;
}
extern "C" void solve(double* data) {
  Item* kept;
  cudaMalloc(&kept, 64 * sizeof(Item));
  broken<<<1, 64>>>(data, kept);
  cudaFree(kept);
}
"""


def uninitialised(outcome: Outcome) -> list[int]:
    """The lines of the findings about memory that nothing has written."""
    assert outcome.status is None, outcome.diagnostics
    return [found["line"] for found in outcome.diagnostics if found["kind"] == "uninitialised"]


AGAIN = {
    "once": "items[t] = kept[t];",
    "the largest": """\
Item best = kept[t];
  for (int i = 0; i < 3; ++i) {
    if (kept[(t + i) % 64].value > best.value) best = kept[(t + i) % 64];
  }
  items[t] = best;""",
}
OTHERS = {"in the middle": "items[t].other = 1;", "after a small member": "items[t].more = 1;"}
USED_AT = 12


def call(place: str, index: str, again: str) -> list[int]:
    names = {"struct": STRUCTS[place], "index": f"{index} {OTHERS.get(place, '')}", "again": AGAIN[again]}
    flags = RunFlag.RACES | RunFlag.DETERMINISTIC
    return uninitialised(run(KERNEL % names, X, flags=flags, time_limit_ms=20_000))


@pytest.mark.parametrize("place", STRUCTS)
def test_a_copy_of_padding_is_not_reported(place: str) -> None:
    assert call(place, "items[t].index = t;", "once") == []


@pytest.mark.parametrize("place", ["in the middle", "at the end", "after a small member"])
def test_a_copy_that_depends_on_the_data_is_not_reported(place: str) -> None:
    assert call(place, "items[t].index = t;", "the largest") == []


@pytest.mark.parametrize("place", STRUCTS)
def test_a_member_without_a_value_is_reported(place: str) -> None:
    assert call(place, "", "once")


def test_a_member_that_is_only_copied_is_reported_where_it_is_used() -> None:
    assert call("of whole words", "", "once") == [USED_AT]


@pytest.mark.parametrize("kind", ["unsigned char", "uint4"])
def test_a_copy_of_an_element_to_an_output_is_reported(kind: str) -> None:
    source = f"""\
__global__ void broken(unsigned char* data) {{
  __shared__ {kind} items[33];
  if (threadIdx.x < 32) items[threadIdx.x] = reinterpret_cast<{kind}*>(data)[threadIdx.x];
  __syncthreads();
  reinterpret_cast<{kind}*>(data)[threadIdx.x] = items[threadIdx.x + 1];
}}
extern "C" void solve(unsigned char* data) {{ broken<<<1, 32>>>(data); }}
"""
    flags = RunFlag.RACES | RunFlag.DETERMINISTIC
    outcome = run(source, np.zeros(512, np.uint8), flags=flags, time_limit_ms=20_000)
    assert uninitialised(outcome) == [5]
    assert "shared array items" in outcome.finding("uninitialised")["message"]
