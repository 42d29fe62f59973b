"""Verdicts per minute: `python -m benchmarks.throughput [--slots 1,4,8,16] [--submissions N]`.

Judges the same submissions with as many at a time as there are check slots, under MPS and time-sliced, each
on a target of its own, and prints every rate beside that of one slot time-sliced. On a CPU there is no MPS.
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
    add_options,
    judge,
    opened,
    print_table,
    require_right,
    shipped,
    vector_addition,
)

PROGRAMS = ("plain.cu", "float4.cu", "grid-stride.cu")


@dataclass(frozen=True, slots=True)
class Rate:
    """What came of one setting."""

    sharing: str
    slots: int
    per_minute: float
    median_s: float
    slowest_s: float


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--slots", type=_numbers, default=(1, 4, 8, 16), help="default: 1,4,8,16")
    parser.add_argument("--submissions", type=int, default=48, help="per setting; default: %(default)s")
    parser.add_argument("--cold", action="store_true", help="compile every source again")
    options = parser.parse_args()
    sharings = ("MPS", "time-sliced") if options.target == "gpu" else ("processors",)
    rates = []
    for sharing, slots in itertools.product(sharings, options.slots):
        rates.append(measure(options, sharing, slots))
        print(f"{sharing}, {slots}: {rates[-1].per_minute:.0f} per minute", flush=True)
    report(rates)
    return 0


def measure(options: argparse.Namespace, sharing: str, slots: int) -> Rate:
    """Judge all submissions with `slots` at a time."""
    problem = vector_addition()
    programs = [shipped(PROGRAMS[number % len(PROGRAMS)]) for number in range(options.submissions)]
    with opened(options, slots=slots, mps=sharing == "MPS") as target:
        for name in PROGRAMS:
            require_right(judge(target, problem, shipped(name)))
        queue = [program.anew() if options.cold else program for program in programs]
        started = time.monotonic()
        with ThreadPoolExecutor(slots) as threads:
            judged = list(threads.map(lambda program: judge(target, problem, program), queue))
        took_s = time.monotonic() - started
    walls = [require_right(one).wall_s for one in judged]
    return Rate(sharing, slots, 60 * len(judged) / took_s, statistics.median(walls), max(walls))


def report(rates: Sequence[Rate]) -> None:
    """Print the rates beside the last sharing's first one, which is the plainest setting."""
    plainest = next(rate for rate in rates if rate.sharing == rates[-1].sharing)
    rows = [("sharing, slots", "per minute", "ratio", "median", "slowest")]
    for rate in rates:
        figures = f"{rate.per_minute:.0f}", f"{rate.per_minute / plainest.per_minute:.2f}"
        rows.append(
            (
                f"{rate.sharing}, {rate.slots}",
                *figures,
                f"{rate.median_s:.2f} s",
                f"{rate.slowest_s:.2f} s",
            )
        )
    print()
    print_table(rows)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
