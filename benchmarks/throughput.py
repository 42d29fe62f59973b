"""Measures verdicts per minute: `python -m benchmarks.throughput [--slots 1,4,8,16] [--gpus 1,2,4]`.

Judges the same `--submissions N` programs with different numbers of check slots, under MPS and time-sliced.
All slots are in use. Each setting has a new target. The table shows every rate next to the rate of one slot
without MPS. A CPU has no MPS. With `--gpus`, the benchmark instead judges on the first 1, 2 and 4 GPUs, with
all check slots of each GPU in use. It first judges submissions that are only checked, then submissions that
are also ranked, which takes 0.5 s of a GPU each. All rates are also printed as ratios to the first one.
"""

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

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
from benchmarks.verdict_stages import print_stages
from judge.target import Target
from problems.schema import Problem
from problems.vocabulary import Language

PROGRAMS = ("plain.cu", "float4.cu", "grid-stride.cu")
_RANKED_N = 1 << 20
# A case is timed with 24 calls after 4 warm-up calls, so calls of 18 ms take half a second of a GPU in total.
_HALF_A_SECOND = Program(
    "half a second",
    Language.CUDA,
    """\
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    if (i > 0) return;
    unsigned long long now, start;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < 18000000);
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
""",
)


@dataclass(frozen=True, slots=True)
class Rate:
    """The result of one setting."""

    setting: str
    per_minute: float
    judged: Sequence[Judged]

    @property
    def median_s(self) -> float:
        """Return the median of the seconds from the source to the verdict."""
        return statistics.median(one.wall_s for one in self.judged)

    @property
    def slowest_s(self) -> float:
        """Return the longest time from a source to its verdict, in seconds."""
        return max(one.wall_s for one in self.judged)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--slots", type=_numbers, default=(1, 4, 8, 16), help="default: 1,4,8,16")
    parser.add_argument("--submissions", type=int, default=48, help="per setting; default: %(default)s")
    parser.add_argument("--cold", action="store_true", help="compile every source again")
    parser.add_argument("--gpus", type=_numbers, help="numbers of GPUs, such as 1,2,4")
    options = parser.parse_args()
    if options.gpus:
        for name, problem, programs in (
            ("checked", vector_addition(), [shipped(name) for name in PROGRAMS]),
            ("ranked", vector_addition(timed=(_RANKED_N,)), [_HALF_A_SECOND]),
        ):
            for slots in options.slots:
                report([_on_gpus(options, problem, programs, count, slots, name) for count in options.gpus])
        return 0
    sharings = ("MPS", "time-sliced") if options.target == "gpu" else ("processors",)
    programs = [shipped(name) for name in PROGRAMS]
    rates = []
    for sharing, slots in itertools.product(sharings, options.slots):
        with opened(options, slots=slots, mps=sharing == "MPS") as target:
            rates.append(measure(target, vector_addition(), programs, options, slots, f"{sharing}, {slots}"))
    report(rates, next(rate for rate in rates if rate.setting.startswith(sharings[-1])))
    return 0


def _on_gpus(
    options: argparse.Namespace,
    problem: Problem,
    programs: Sequence[Program],
    count: int,
    slots: int,
    name: str,
) -> Rate:
    """Judge on the first `count` GPUs, with `slots` submissions at a time on each."""
    chosen = argparse.Namespace(**{**vars(options), "gpu": list(range(count))})
    with opened(chosen, slots=slots) as target:
        setting = f"{name}, {slots} at a time on each of {count}"
        return measure(target, problem, programs, options, slots * count, setting)


def measure(
    target: Target,
    problem: Problem,
    programs: Sequence[Program],
    options: argparse.Namespace,
    at_a_time: int,
    setting: str,
) -> Rate:
    """Judge all submissions, a fixed number at a time, and print the rate."""
    for program in programs:
        require_right(judge(target, problem, program))
    queue = list(itertools.islice(itertools.cycle(programs), options.submissions))
    started = time.monotonic()
    with ThreadPoolExecutor(at_a_time) as threads:
        judged = list(
            threads.map(lambda p: judge(target, problem, p.rebuilt() if options.cold else p), queue)
        )
    took_s = time.monotonic() - started
    rate = Rate(setting, 60 * len(judged) / took_s, [require_right(one) for one in judged])
    print(f"{setting}: {rate.per_minute:.0f} per minute", flush=True)
    return rate


def report(rates: Sequence[Rate], plainest: Rate | None = None) -> None:
    """Print the rates and their stages.

    Each rate is divided by that of `plainest`, by default the first one.
    """
    plainest = plainest or rates[0]
    rows = [("setting", "per minute", "ratio", "median", "slowest")]
    for rate in rates:
        figures = f"{rate.per_minute:.0f}", f"{rate.per_minute / plainest.per_minute:.2f}"
        rows.append((rate.setting, *figures, f"{rate.median_s:.2f} s", f"{rate.slowest_s:.2f} s"))
    print()
    print_table(rows)
    print_stages({rate.setting: rate.judged for rate in rates})


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
