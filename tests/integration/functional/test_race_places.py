"""The text of a race says where the barrier is missing, and each case has its own findings."""

import re
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from tests.integration.functional.harness import Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "loops.cu").read_text()
LINES = SOURCE.splitlines()
X = np.random.default_rng(1).integers(1, 1000, 4096).astype(np.int32)
PROGRAMS = re.findall(r"\w+", SOURCE.partition("programs[] = {")[2].partition("}")[0])
END = "at the end of the loop body"
PLACES = {
    "loop_end": (
        "no __syncthreads() between {lower} in one iteration of the loop and {upper} in the next",
        f"Put __syncthreads() {END}",
    ),
    "unrolled": (
        "no __syncthreads() between {lower} in one iteration of the loop and {upper} in the next",
        f"Put __syncthreads() {END}",
    ),
    "both": (f"Put __syncthreads() between {{upper}} and {{lower}}, and again {END}",),
    "one_line": (
        "{upper} in one iteration of the loop and the same line in the next",
        f"use an atomic operation such as atomicAdd. Otherwise, put __syncthreads() {END}",
    ),
    "straight": ("of shared array tile", "Put __syncthreads() between {upper} and {lower}."),
    "helpers": ("Put __syncthreads() between {upper} and {lower}.",),
    "neighbours": (
        "If threads update the same element, use an atomic operation such as atomicAdd.",
        "Otherwise, read into a variable first, put ",
    ),
    "within_warp": (
        "no barrier between",
        "Put __syncthreads() between {upper} and {lower} (__syncwarp() is enough if no other warp uses",
    ),
}


def line(text: str) -> int:
    return marked_lines(SOURCE, text)[0]


def races(runner: Runner, program: str) -> list[dict[str, object]]:
    """The races in a case that runs `program`, in all orders."""
    which = PROGRAMS.index(program)
    outcomes = [runner.call(X, np.zeros(16, np.int32), 256, which, flags=flags) for flags in ORDERS]
    assert all(outcome.status is None for outcome in outcomes), outcomes
    return [found for outcome in outcomes for found in outcome.diagnostics if found["kind"] == "race"]


@pytest.mark.parametrize("program", PLACES)
def test_the_text_says_where_the_barrier_is_missing(program: str) -> None:
    runner = Runner(SOURCE)
    try:
        found = races(runner, program)
    finally:
        runner.close()
    upper = f"line {line(f'{program}: upper')}"
    marked = f"{program}: lower" if f"// {program}: lower" in SOURCE else f"{program}: upper"
    wanted = [text.format(upper=upper, lower=f"line {line(marked)}") for text in PLACES[program]]
    assert any(all(text in str(race["message"]) for text in wanted) for race in found), (wanted, found)


GLOBAL = """
__global__ void stencil(int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = x[i] + x[(i + 40) % n];  // upper
  x[i] = sum;  // lower
}
__global__ void visit(int* x, int* out, int n) {
  for (int k = threadIdx.x / 32; k < n; k += 1 + threadIdx.x / 32) {
    if (out[k % 16] == 0) {  // upper
      out[k % 16] = x[k] + threadIdx.x;  // lower
    }
  }
}
extern "C" void solve(int* x, int* out, int n, int loop) {
  if (loop) visit<<<1, 64>>>(x, out, n);
  else stencil<<<n / 64, 64>>>(x, out, n);
}
"""


@pytest.mark.parametrize("loop", [0, 1])
def test_a_barrier_is_not_the_first_advice_for_global_memory(loop: int) -> None:
    runner = Runner(GLOBAL)
    try:
        outcomes = [runner.call(X, np.zeros(16, np.int32), 256, loop, flags=flags) for flags in ORDERS]
    finally:
        runner.close()
    found = [one for outcome in outcomes for one in outcome.diagnostics if one["kind"] == "race"]
    messages = [str(race["message"]) for race in found]
    within = [message for message in messages if "between the two blocks" not in message]
    assert within
    for message in within:
        assert "Put __syncthreads()" not in message
        assert "atomicCAS" in message or "atomicAdd" in message
        assert "write to another array, or move one of the two accesses to another launch" in message
        assert "helps only if no other block uses these elements" in message
        assert ("and all threads of the block run the loop equally often" in message) == bool(loop)


@pytest.mark.parametrize("program", ["library", "recursion"])
def test_a_race_in_library_code_has_the_line_that_called_it(program: str) -> None:
    runner = Runner(SOURCE)
    try:
        found = races(runner, program)
    finally:
        runner.close()
    assert found
    assert {race["line"] for race in found} <= {*marked_lines(SOURCE, program)}
    assert not any(".cuh" in str(race["message"]) for race in found)


def test_each_case_has_its_own_races() -> None:
    runner = Runner(SOURCE)
    try:
        cases = [races(runner, program) for program in ("straight", "clean", "straight", "clean", "both")]
    finally:
        runner.close()
    assert [bool(found) for found in cases] == [True, False, True, False, True]
    again = {race["line"] for race in cases[2]}
    assert len(cases[2]) == 1, "the first of a kind is told again"
    assert again <= {race["line"] for race in cases[0]}
