"""Times one kernel in two languages: `python -m benchmarks.languages [--rounds N] [--seconds S]`.

Judges pairs of programs that launch the same kernel for vector addition from different languages: a CUDA
kernel from CUDA C++ and from PyTorch, a Triton kernel from Triton and from PyTorch. Every submission is a
fresh one with timed cases of about 100, 30 and 6 microseconds. Prints the median time of each and their
difference, next to the limit of 1 % + 0.5 us. After S seconds, no further round starts.
"""

import argparse
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.judging import (
    Program,
    add_options,
    judge,
    opened,
    print_table,
    require_right,
    timings_of,
    vector_addition,
)
from judge.target import Target
from problems.vocabulary import Language
from tests.python_call import in_python

SIZES = (40_000_000, 12_000_000, 1 << 20)
LIMIT_SHARE, LIMIT_US = 0.01, 0.5
KERNEL = """
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
"""
CUDA = f"""{KERNEL}
extern "C" void solve(const float* a, const float* b, float* c, int n) {{ add<<<1056, 512>>>(a, b, c, n); }}
"""
CUDA_IN_PYTORCH = f"""import torch
add = torch.cuda._compile_kernel({KERNEL!r}, "add")
def solve(a, b, c, n):
    add((1056, 1, 1), (512, 1, 1), (a, b, c, n))
"""
TRITON_KERNEL = """import torch
import triton
import triton.language as tl
@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(c + at, tl.load(a + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)
"""
TRITON = f"""{TRITON_KERNEL}
def solve(a, b, c, n):
    add[(triton.cdiv(n, 1024),)](a, b, c, n, BLOCK=1024)
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """One kernel, launched from its own language and from PyTorch."""

    kernel: str
    own: Program
    pytorch: Program


PAIRS = (
    Pair(
        "CUDA kernel",
        Program("from CUDA C++", Language.CUDA, CUDA),
        Program("from PyTorch", Language.PYTHON, CUDA_IN_PYTORCH),
    ),
    Pair(
        "Triton kernel",
        Program("from Triton", Language.TRITON, TRITON),
        Program("from PyTorch", Language.PYTHON, TRITON),
    ),
)


def main() -> int:
    """Measure and print. The exit status says whether every difference is within its limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=120.0, help="begin no round after these")
    options = parser.parse_args()
    with opened(options) as target:
        medians_us = measured(target, rounds=options.rounds, seconds=options.seconds)
    heading = ("kernel", "n", "own language", "PyTorch", "difference", "limit", "result")
    rows = [row for pair in PAIRS for row in rows_of(pair, medians_us)]
    print_table([heading, *rows])
    return 1 if any(row[-1] == "EXCEEDED" for row in rows) else 0


def measured(target: Target, *, rounds: int, seconds: float) -> dict[Program, list[float]]:
    """Return each program's ranked time in each timed case, the median over fresh submissions."""
    problem = vector_addition(timed=SIZES)
    problems = {Language.PYTHON: in_python(problem)}
    started = time.monotonic()
    found: dict[Program, list[list[float]]] = {
        program: [] for pair in PAIRS for program in (pair.own, pair.pytorch)
    }
    for number in range(rounds):
        if number and time.monotonic() - started > seconds:
            break
        for program, times in found.items():
            asked = problems.get(program.language, problem)
            judged = require_right(judge(target, asked, program.rebuilt()))
            times.append([timing.median_us for timing in timings_of(judged, len(SIZES))])
    return {
        program: [statistics.median(case) for case in zip(*times, strict=True)]
        for program, times in found.items()
    }


def rows_of(pair: Pair, medians_us: Mapping[Program, list[float]]) -> list[tuple[str, ...]]:
    """The lines of one kernel, one for each size."""
    rows: list[tuple[str, ...]] = []
    for n, own, pytorch in zip(SIZES, medians_us[pair.own], medians_us[pair.pytorch], strict=True):
        limit = LIMIT_SHARE * min(own, pytorch) + LIMIT_US
        cells = (f"{own:.2f} us", f"{pytorch:.2f} us", f"{pytorch - own:+.2f} us", f"{limit:.2f} us")
        rows.append((pair.kernel, str(n), *cells, "kept" if abs(pytorch - own) <= limit else "EXCEEDED"))
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
