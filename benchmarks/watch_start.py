"""Measures how the start of the watch changes short times: `python3 -m benchmarks.watch_start [--rounds N]`.

Needs CuPy, nvcc, and an NVIDIA GPU that no other process uses. Runs without containers, under an MPS daemon
of its own. A round takes about a minute.

Times sums of 16 MB in one and in two kernels, with grids that fill the GPU or three quarters of it, a float16
addition of 1024 x 1024 elements, and the float32 addition of 1.5 million elements of `benchmarks.attacks`,
which is nearly as fast in both ways. In each session, the watch of the outputs
starts before the kernels of the program (first), after them (after), or in the way that the warm-up of the
clock chooses (chosen). Sums in two kernels are also timed without filling the instruction caches before each
call. Every session has a new runner and a new referee.

For each kind of session, prints the median over the rounds of the ranked time, its spread (max - min) /
median, and how often the clock chose to watch first.
"""

import argparse
import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from unittest import mock

from benchmarks.clock_experiment import (
    ROOT,
    SOURCE,
    Figures,
    addition,
    build,
    draw,
    draw_addition,
    loaded,
    middle_and_spread,
    mps,
    repeated,
    timed_session,
)
from benchmarks.judging import print_table
from judge.clock.estimate import estimate
from judge.runner.memory import PrivateBytes
from problems.formula import Formula
from problems.loader import load_problem
from problems.schema import Argument, Case, Problem, Tolerance
from problems.vocabulary import Dtype, Group, Role

CONTENTS = 97  # one for the warm-up, and as many as the judge counts
EXTENT = 1024
TERMS = 4_000_000
ELEMENTS = 1_500_000
FIRST, AFTER, CHOSEN = "first", "after", "chosen"
FILLING = "  fill_instruction_caches(sink);\n"
# BLOCKS of 512 threads on each multiprocessor. Four of them fill one that has 2,048 thread slots.
SUM = r"""
#include <cuda_runtime.h>
constexpr int kMostBlocks = 4096;
__device__ float partial[kMostBlocks];
__device__ unsigned came;

__device__ float block_sum(float value) {
  __shared__ float warps[32];
  for (int step = 16; step; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.0f;
  for (int step = 16; threadIdx.x < 32 && step; step /= 2) value += __shfl_down_sync(~0u, value, step);
  return value;
}

__device__ float sum_of_block(const float* x, long n) {
  float value = 0;
  const long step = (long)gridDim.x * blockDim.x;
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += step) value += x[i];
  return block_sum(value);
}

__device__ float sum_of_partials(int count) {
  float value = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) value += __ldcg(&partial[i]);
  __syncthreads();
  return block_sum(value);
}

inline int blocks() {
  static int count = 0;
  if (!count) cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
  return BLOCKS * count;
}
"""
TWO_KERNELS = r"""
__global__ void __launch_bounds__(512, 4) sum_part(const float* x, long n) {
  const float value = sum_of_block(x, n);
  if (threadIdx.x == 0) partial[blockIdx.x] = value;
}

__global__ void sum_partials(float* total, int count) {
  const float value = sum_of_partials(count);
  if (threadIdx.x == 0) *total = value;
}

inline void sum(const float* x, float* total, long n) {
  sum_part<<<blocks(), 512>>>(x, n);
  sum_partials<<<1, 1024>>>(total, blocks());
}
"""
ONE_KERNEL = r"""
__global__ void __launch_bounds__(512, 4) sum_all(const float* x, float* total, long n) {
  __shared__ bool last;
  float value = sum_of_block(x, n);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = value;
    __threadfence();
    last = atomicInc(&came, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  value = sum_of_partials(gridDim.x);
  if (threadIdx.x == 0) *total = value;
}

inline void sum(const float* x, float* total, long n) { sum_all<<<blocks(), 512>>>(x, total, n); }
"""
CALL = r"""
extern "C" {
extern const char* const warpcourt_argument_names[];
const char* const warpcourt_argument_names[] = {"x", "total", "n", nullptr};
void warpcourt_call(void* const* p) { sum((const float*)p[0], (float*)p[1], *(const long*)p[2]); }
}
"""

PLAIN_CALL = r"""
extern "C" {
extern const char* const warpcourt_argument_names[];
const char* const warpcourt_argument_names[] = {"a", "b", "c", "n", nullptr};
void warpcourt_call(void* const* p) {
  solve((const float*)p[0], (const float*)p[1], (float*)p[2], *(const int*)p[3]);
}
}
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program, and how to make its problem with the case, and its contents from a seed."""

    source: str
    problem: Callable[[], tuple[Problem, Case]]
    draw: Callable[[int], Mapping[str, PrivateBytes]]


@dataclass(frozen=True, slots=True)
class Variant:
    """A kind of session. `filled` says whether the instruction caches are filled before each call."""

    program: str
    watch: str
    filled: bool = True


def main() -> int:
    """Run the rounds, each session in new processes, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--one", type=int, metavar="VARIANT", help=argparse.SUPPRESS)
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(one_session(VARIANTS[options.one], options.build)))
        return 0
    with tempfile.TemporaryDirectory(prefix="warpcourt-watch-") as name:
        folder = Path(name)
        build(folder, {name: program.source for name, program in PROGRAMS.items()})
        with mps(folder) as environment:
            numbers = range(len(VARIANTS))
            found = repeated("benchmarks.watch_start", numbers, options.rounds, folder, environment)
    report([found[number] for number in numbers])
    return 0


def report(found: Sequence[Sequence[Figures]]) -> None:
    """Print one line for each variant. `found` has the figures of its sessions."""
    rows = [("program", "watched", "caches filled", "ranked", "spread", "chosen first")]
    for variant, sessions in zip(VARIANTS, found, strict=True):
        middle, spread = middle_and_spread([figures["ranked_us"] for figures in sessions])
        first = sum(figures["watched_first"] for figures in sessions)
        rows.append(
            (
                *(variant.program, variant.watch, "yes" if variant.filled else "no"),
                *(f"{middle:.2f} us", f"{100 * spread:.2f} %"),
                f"{first:.0f} of {len(sessions)}" if variant.watch == CHOSEN else "",
            )
        )
    print_table(rows)


def one_session(variant: Variant, folder: Path) -> Figures:
    """Time one session, with a new runner and with this new process as the referee."""
    from judge.gpu.device.memory import DeviceMemory  # noqa: PLC0415 - needs CuPy, which only the rounds do

    program = PROGRAMS[variant.program]
    problem, case = program.problem()
    with contextlib.nullcontext() if variant.filled else unfilled():
        memory = DeviceMemory.open()
        contents = [program.draw(seed) for seed in range(CONTENTS)]
        with (
            loaded(folder, variant.program) as exchange,
            timed_session(exchange, memory, problem, case, contents) as session,
        ):
            calls = session.calls()
            calls.warm_up(0)
            if variant.watch != CHOSEN:
                calls.watch_first = variant.watch == FIRST
            times_us = [calls.one(content) for content in range(1, CONTENTS)]
        memory.close()
    return {"ranked_us": estimate(times_us).median, "watched_first": calls.watch_first}


@contextmanager
def unfilled() -> Iterator[None]:
    """Have gates made meanwhile leave the instruction caches as they are."""
    from judge.gpu.device import gate, kernels  # noqa: PLC0415 - need CuPy

    with mock.patch.object(gate, "source", lambda name: without_filling(kernels.source(name))):
        yield


def without_filling(source: str) -> str:
    """Return the source of the gate's kernels without the call that fills the instruction caches."""
    if source.count(FILLING) != 1:
        raise SystemExit("gate.cu does not fill the instruction caches as this benchmark expects")
    return source.replace(FILLING, "")


def total() -> tuple[Problem, Case]:
    """Return a float32 sum, and its case."""
    n = Formula.parse("n")
    x = Argument("x", Role.IN, Dtype.FLOAT32, shape=(n,))
    tolerance = Tolerance(1e-3, 1e-3)
    output = Argument("total", Role.OUT, Dtype.FLOAT32, shape=(Formula.parse("1"),), tolerance=tolerance)
    scalar = Argument("n", Role.SCALAR, Dtype.INT64, value=n)
    problem = load_problem(ROOT / "problems" / "vector-add")
    case = Case("sum", Group.TIMED, {"n": TERMS})
    arguments = (x, output, scalar)
    return replace(problem, arguments=arguments, cases=(case,), bytes_moved=Formula.parse("4 * n")), case


def draw_terms(seed: int) -> dict[str, PrivateBytes]:
    """Return the terms and the expected sum in device memory, as `MemorySets` takes them."""
    import cupy  # noqa: PLC0415 - only the rounds need it

    x = cupy.random.default_rng(seed).random(TERMS, dtype=cupy.float32)
    expected = x.sum(dtype=cupy.float64).reshape(1)
    cupy.cuda.Device().synchronize()
    return {name: array.view(cupy.uint8) for name, array in {"x": x, "expected-total": expected}.items()}


def plain_addition() -> tuple[Problem, Case]:
    """Return the problem vector-add, and a case of ELEMENTS elements."""
    case = Case("plain", Group.TIMED, {"n": ELEMENTS})
    return replace(load_problem(ROOT / "problems" / "vector-add"), cases=(case,)), case


def _sum(kernels: str, blocks: int) -> Program:
    return Program(f"#define BLOCKS {blocks}\n{SUM}{kernels}{CALL}", total, draw_terms)


PROGRAMS = {
    "one-kernel": _sum(ONE_KERNEL, 4),
    "one-kernel-three-quarters": _sum(ONE_KERNEL, 3),
    "two-kernels": _sum(TWO_KERNELS, 4),
    "two-kernels-three-quarters": _sum(TWO_KERNELS, 3),
    "addition": Program(SOURCE, partial(addition, EXTENT), partial(draw, EXTENT)),
    "plain-addition": Program(
        (ROOT / "problems/vector-add/solutions/plain.cu").read_text(encoding="utf-8") + PLAIN_CALL,
        plain_addition,
        partial(draw_addition, ELEMENTS, "float32"),
    ),
}
VARIANTS = tuple(
    Variant(program, watch, filled)
    for program in PROGRAMS
    for filled in ((True, False) if program.startswith("two-kernels") else (True,))
    for watch in (FIRST, AFTER, CHOSEN)
)

if __name__ == "__main__":
    raise SystemExit(main())
