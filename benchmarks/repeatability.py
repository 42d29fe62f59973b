"""Measures how well ranked times repeat: `python -m benchmarks.repeatability [--rounds N]`.

Judges the same program several times as fresh submissions. Each submission is compiled from scratch and
ranked by a new runner and a new referee, on vector additions of about 100, 30 and 6 microseconds. For each
size, the benchmark prints the median of the ranked times, their spread (max - min) / median next to its
limit, the width of the intervals, the number of counted calls, and the median time of the ranking stage.
`--language triton` judges a Triton program instead of a CUDA program. `--busy` keeps half of the cores busy.
After `--seconds`, no further round starts.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from benchmarks.judging import (
    add_options,
    judge,
    opened,
    print_table,
    require_right,
    shipped,
    timings_of,
    vector_addition,
)
from judge.report import Timing
from judge.target import Target


@dataclass(frozen=True, slots=True)
class Size:
    """A float32 vector addition, and the allowed spread of its ranked times."""

    n: int
    name: str
    limit_share: float


SIZES = (
    Size(40_000_000, "100 us and more", 0.004),
    Size(12_000_000, "about 30 us", 0.008),
    Size(1 << 20, "about 6 us", 0.04),
)
_LEAST_ROUNDS = 2
FILES = {"cuda": "plain.cu", "triton": "plain.py"}


def main() -> int:
    """Measure and print. The exit status says whether every spread is within its limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--language", choices=tuple(FILES), default="cuda")
    parser.add_argument("--seconds", type=float, default=40.0, help="begin no round after these")
    parser.add_argument("--busy", action="store_true", help="keep half of the cores busy")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between submissions")
    options = parser.parse_args()
    with opened(options) as target, busy_cores() if options.busy else nullcontext():
        rounds, stages_ms = rank_repeatedly(
            target, options.language, options.rounds, seconds=options.seconds, pause_s=options.pause
        )
    print(
        f"{len(rounds)} submissions, {options.language}; ranking took {statistics.median(stages_ms):.0f} ms\n"
    )
    rows: list[tuple[str, ...]] = [("kernel", "median", "spread", "at most", "ratio", "interval", "calls")]
    kept = True
    for index, size in enumerate(SIZES):
        timings = [timings[index] for timings in rounds]
        rows.append(row(size, timings))
        kept = kept and spread_share(timings) <= size.limit_share
    print_table(rows)
    print_conditions([timing for timings in rounds for timing in timings])
    return 0 if kept else 1


def rank_repeatedly(
    target: Target, language: str, rounds: int, *, seconds: float, pause_s: float = 0.1
) -> tuple[list[list[Timing]], list[float]]:
    """Return the timings of each size for every submission, and the milliseconds of each ranking.

    There are `rounds` submissions. No submission starts after `seconds`, but there are at least two.
    """
    started = time.monotonic()
    problem = vector_addition(timed=[size.n for size in SIZES])
    program = shipped(FILES[language])
    found: list[list[Timing]] = []
    stages_ms: list[float] = []
    for number in range(rounds + 1):  # the first one fills pools and caches
        if number > _LEAST_ROUNDS and time.monotonic() - started > seconds:
            break
        judged = require_right(judge(target, problem, program.rebuilt()))
        found.append(timings_of(judged, len(SIZES)))
        stages = judged.report.stages if judged.report else ()
        stages_ms.append(sum((stage.ms for stage in stages if stage.name == "rank"), 0.0))
        time.sleep(pause_s)
    return found[1:], stages_ms[1:]


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keep half of the cores busy with processes that spin."""
    spinners = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(max(1, (os.cpu_count() or 2) // 2))
    ]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def spread_share(timings: Sequence[Timing]) -> float:
    """Return (max - min) / median of the ranked times."""
    medians = [timing.median_us for timing in timings]
    return (max(medians) - min(medians)) / statistics.median(medians)


def row(size: Size, timings: Sequence[Timing]) -> tuple[str, ...]:
    """Return one row of the table."""
    median_us = statistics.median(timing.median_us for timing in timings)
    half = statistics.median((t.high_us - t.low_us) / 2 / t.median_us for t in timings)
    share = spread_share(timings)
    return (
        size.name,
        f"{median_us:.2f} us",
        f"{100 * share:.2f} %",
        f"{100 * size.limit_share:.1f} %",
        f"{share / size.limit_share:.2f}",
        f"+- {100 * half:.2f} %",
        f"{statistics.median(t.repetitions for t in timings):.0f}",
    )


def print_conditions(timings: Sequence[Timing]) -> None:
    """Print the observations of the guard in one line."""
    clocks = sorted({timing.sm_mhz for timing in timings if timing.sm_mhz is not None})
    heat = [timing.temperature_c for timing in timings if timing.temperature_c is not None]
    discarded = sum(timing.discarded for timing in timings)
    print(
        f"\n{discarded} blocks of calls discarded; SM clocks {clocks or '-'} MHz; "
        f"{f'{min(heat)} to {max(heat)} degrees' if heat else 'no temperature'}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
