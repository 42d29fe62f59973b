"""Checks that faults affect no other program: `python -m benchmarks.fault_storm`.

Judges many programs at a time on one target. A fifth of them fault or hang on purpose. The benchmark counts
wrong verdicts, lost submissions and correct programs that were not accepted. All of these must be zero. Then
it runs single faulty programs on an idle target, and measures the time until the next correct program has its
verdict. The exit status is 0 only if nothing went wrong.
"""

import argparse
import random
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from benchmarks.judging import (
    Judged,
    Program,
    add_options,
    judge,
    opened,
    print_table,
    require_right,
    shipped,
    vector_addition,
)
from judge.target import Target
from problems.schema import Problem
from problems.vocabulary import Language, Verdict

CASE_S = 3.0
RECOVERY_LIMIT_S = 2.0
ILLEGAL = (Verdict.ILLEGAL_ACCESS,)
STOPPED = (Verdict.RUNTIME_ERROR,)
HEAD = """#include <cuda_runtime.h>
#include <cassert>
__global__ void run(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  %s
}
extern "C" void solve(const float* a, const float* b, float* c, int n) {
  run<<<(n + 255) / 256, 256>>>(a, b, c, n);
  cudaDeviceSynchronize();
}
"""
INNOCENT = ("plain.cu", "float4.cu", "grid-stride.cu", "plain.py")
GUILTY = (
    ("wild pointer", "*(volatile float*)0x10 = a[i] + b[i];", ILLEGAL),
    ("misaligned", "*(volatile float*)((char*)c + 1) = a[i];", ILLEGAL),
    ("failed assert", "assert(i < 0);", STOPPED),
    ("trap", 'asm volatile("trap;");', STOPPED),
    ("endless kernel", "volatile float* out = c; while (true) out[0] = a[i];", (Verdict.TIME_LIMIT,)),
)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--submissions", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--slots", type=int, default=8, help="judged at a time; default: %(default)s")
    parser.add_argument("--seconds", type=float, default=600.0, help="submit no more after these")
    parser.add_argument("--rounds", type=int, default=3, help="recoveries per kind; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="of their order; default: %(default)s")
    options = parser.parse_args()
    problem = vector_addition(case_s=CASE_S)
    programs = storm(options.submissions, random.Random(options.seed))
    with opened(options) as target:
        for name in INNOCENT:
            require_right(judge(target, problem, shipped(name)))
        started = time.monotonic()
        with ThreadPoolExecutor(options.slots) as threads:
            came = threads.map(
                lambda program: (
                    None if time.monotonic() > started + options.seconds else judge(target, problem, program)
                ),
                programs,
            )
            judged = [one for one in came if one is not None]
        report_storm(judged, time.monotonic() - started, target)
        recovered = [recovery(target, problem, program, options.rounds) for program in guilty()]
        report_recovery(recovered)
    wrong = [one for one in judged if not one.right]
    return 1 if wrong else 0


def guilty() -> list[Program]:
    """Return one program for each kind of fault that affects the GPU."""
    return [Program(name, Language.CUDA, HEAD % body, expected) for name, body, expected in GUILTY]


def storm(count: int, dice: random.Random) -> list[Program]:
    """Return `count` programs in random order.

    A fifth of them are faulty, with the kinds of faults equally frequent.
    """
    bad, good = guilty(), [shipped(name) for name in INNOCENT]
    programs = [bad[number % len(bad)] for number in range(count // 5)]
    programs += [good[number % len(good)] for number in range(count - len(programs))]
    dice.shuffle(programs)
    return programs


def recovery(target: Target, problem: Problem, program: Program, rounds: int) -> tuple[str, list[float]]:
    """Return the seconds from the verdict on `program` to that on a correct one, submitted immediately."""
    innocent = shipped("plain.cu")
    times = []
    for _ in range(rounds):
        require_right(judge(target, problem, program))
        times.append(require_right(judge(target, problem, innocent)).wall_s)
    return program.name, times


def report_storm(judged: list[Judged], took_s: float, target: Target) -> None:
    """Print the result of the storm."""
    lost = [one for one in judged if one.report is None]
    wrong = [one for one in judged if one.report and not one.right]
    harmless = [one for one in judged if one.program.expected == (Verdict.ACCEPTED,)]
    disturbed = [one for one in judged if one.report and one.report.attempts > 1]
    walls = sorted(one.wall_s for one in harmless)
    for one in wrong:
        print(f"WRONG {one.program.name}: {one.report and (one.report.verdict, one.report.message)}")
    print_table(
        [
            ("storm", "figure", "at most"),
            ("submissions", str(len(judged)), ""),
            ("wrong verdicts", str(len(wrong)), "0"),
            ("lost", str(len(lost)), "0"),
            ("innocents not accepted", str(sum(not one.right for one in harmless)), "0"),
            ("run again alone", str(len(disturbed)), ""),
            ("tried again after a failure of ours", str(sum(one.tries > 1 for one in judged)), ""),
            ("innocent, median", f"{statistics.median(walls):.2f} s", ""),
            ("innocent, slowest", f"{walls[-1]:.2f} s", ""),
            ("all, per minute", f"{60 * len(judged) / took_s:.0f}", ""),
        ]
    )
    print("counters:", ", ".join(f"{name} {count}" for name, count in sorted(target.metrics.items())))


def report_recovery(recovered: list[tuple[str, list[float]]]) -> None:
    """Print the time until the next correct program had its verdict."""
    rows = [("next verdict after", "median", "slowest", "at most", "ratio")]
    for name, times in recovered:
        ratio = max(times) / RECOVERY_LIMIT_S
        figures = f"{statistics.median(times):.2f} s", f"{max(times):.2f} s"
        rows.append((name, *figures, f"{RECOVERY_LIMIT_S:.1f} s", f"{ratio:.2f}"))
    print()
    print_table(rows)


if __name__ == "__main__":
    sys.exit(main())
