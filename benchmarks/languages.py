"""One kernel in two languages: `python -m benchmarks.languages [--rounds N] [--seconds S]`.

Judges pairs of programs that launch the same kernel for vector addition from different languages: a CUDA
kernel from CUDA C++ and from PyTorch, a Triton kernel from Triton and from PyTorch. Every submission is a
fresh one with timed cases of about 100, 30 and 6 microseconds. Prints the median time of each and their
difference, next to the limit of 1 % + 0.5 us. After S seconds no round is begun.
"""

import argparse
import statistics
import time
from dataclasses import dataclass, replace

from benchmarks.judging import (
    Program,
    add_options,
    judge,
    opened,
    print_table,
    require_right,
    vector_addition,
)
from judge.target import Target
from problems.calling import Pattern, PythonCallSpec, PythonEntry
from problems.schema import Problem
from problems.vocabulary import Language

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
    """Measure and print. The exit status says whether every difference keeps its limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=120.0, help="begin no round after these")
    options = parser.parse_args()
    problem = vector_addition(timed=SIZES)
    call = PythonCallSpec(PythonEntry.CUSTOM_KERNEL, Pattern.parse("(a, b, n)"), returns=("c",))
    in_python = replace(problem, languages=(Language.PYTHON,), python=call)
    started = time.monotonic()
    found: dict[Program, list[list[float]]] = {
        program: [] for pair in PAIRS for program in (pair.own, pair.pytorch)
    }
    with opened(options) as target:
        for number in range(options.rounds):
            if number and time.monotonic() - started > options.seconds:
                break
            for program, times in found.items():
                asked = in_python if program.language is Language.PYTHON else problem
                times.append(medians_us(target, asked, program))
    kept = True
    rows: list[tuple[str, ...]] = [("kernel", "n", "own language", "PyTorch", "difference", "limit")]
    for pair in PAIRS:
        own, pytorch = (median_of_rounds(found[program]) for program in (pair.own, pair.pytorch))
        for n, one, other in zip(SIZES, own, pytorch, strict=True):
            limit = LIMIT_SHARE * min(one, other) + LIMIT_US
            kept = kept and abs(other - one) <= limit
            cells = (f"{one:.2f} us", f"{other:.2f} us", f"{other - one:+.2f} us", f"{limit:.2f} us")
            rows.append((pair.kernel, str(n), *cells))
    print_table(rows)
    return 0 if kept else 1


def medians_us(target: Target, problem: Problem, program: Program) -> list[float]:
    """Judge a fresh submission of `program`; return the ranked time of each timed case."""
    judged = require_right(judge(target, problem, program.anew()))
    cases = judged.report.cases if judged.report else ()
    times = [case.timing.median_us for case in cases if case.timing is not None]
    if len(times) != len(SIZES):
        raise SystemExit("not every case was timed; this benchmark needs a target that ranks")
    return times


def median_of_rounds(times: list[list[float]]) -> list[float]:
    """The median of each case over all rounds."""
    return [statistics.median(case) for case in zip(*times, strict=True)]


if __name__ == "__main__":
    raise SystemExit(main())
