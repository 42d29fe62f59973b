"""The part of `benchmarks.verdict_latency` without a site: single judgements, split by stage."""

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.judging import (
    Judged,
    Program,
    judge,
    opened,
    print_table,
    require_right,
    shipped,
    vector_addition,
)
from judge.target import Target
from problems.schema import Problem
from problems.vocabulary import Language

PAUSE_S = 4.0
PAUSE_HELP = (
    "without a site: seconds between judgements, in which the warm pool fills up; default: %(default)s"
)
TIMED = (10_000_000, 25_000_000, 50_000_000)
SMALL = (1000, 5000, 20_000)  # sizes for a target that simulates a GPU on processors
RANKING = ("wait", "draw", "rank")  # stages that ranking adds, in addition to a second start and load
RANKING_LIMIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of submission, and the limit of its median time in seconds. None: there is no limit."""

    name: str
    program: Program
    fresh: bool
    timed: tuple[int, ...]
    limit_s: float | None


@dataclass(frozen=True, slots=True)
class Measured:
    """The judgements of a row."""

    row: Row
    judged: list[Judged]

    @property
    def walls_s(self) -> list[float]:
        """Return the seconds from the source to the verdict."""
        return [one.wall_s for one in self.judged]


def measure(options: argparse.Namespace) -> int:
    """Measure and print."""
    with opened(options) as target:
        timed = TIMED if options.target == "gpu" else SMALL
        kinds = rows(timed if target.ranks else ())
        measured = [_measure(target, row, options.rounds, options.pause) for row in kinds]
        _report(measured)
        counters = ", ".join(f"{name} {count}" for name, count in sorted(target.metrics.items()))
        print(f"\ncounters: {counters}")
    return 0


def rows(timed: tuple[int, ...]) -> list[Row]:
    """Return the rows to measure: checks alone, and checks followed by timed cases of these sizes."""
    cuda, triton = shipped("plain.cu"), shipped("plain.py")
    found = [  # the limits apply to a GPU node
        Row("CUDA, new source", cuda, True, (), 1.5),
        Row("CUDA, compiled before", cuda, False, (), 0.7),
        Row("Triton, new source", triton, True, (), 2.0),
    ]
    if timed:
        found += [
            Row("CUDA, new source, ranked", cuda, True, timed, None),
            Row("CUDA, compiled before, ranked", cuda, False, timed, None),
            Row("Triton, new source, ranked", triton, True, timed, None),
        ]
    return found


def stages_of(judged: Judged) -> Mapping[str, float]:
    """Return the milliseconds of each stage, 0 for a stage that the judgement skipped."""
    found: defaultdict[str, float] = defaultdict(float)
    for stage in judged.report.stages if judged.report else ():
        found[stage.name] += stage.ms
    return found


def print_stages(judged: Mapping[str, Sequence[Judged]]) -> None:
    """Print the median of each stage of the judgements under each name."""
    names = list(dict.fromkeys(name for some in judged.values() for one in some for name in stages_of(one)))
    print("\nmedian of each stage, ms")
    table = [("", *names)]
    for title, some in judged.items():
        medians = [statistics.median(stages_of(one)[name] for one in some) for name in names]
        table.append((title, *(f"{median:.0f}" for median in medians)))
    print_table(table)


def _measure(target: Target, row: Row, rounds: int, pause_s: float) -> Measured:
    problem = vector_addition(timed=row.timed)
    _judge(target, problem, row, pause_s)  # warms up the pool, the page cache and the secret pool
    return Measured(row, [_judge(target, problem, row, pause_s) for _ in range(rounds)])


def _judge(target: Target, problem: Problem, row: Row, pause_s: float) -> Judged:
    time.sleep(pause_s)
    return require_right(judge(target, problem, row.program.rebuilt() if row.fresh else row.program))


def _report(measured: list[Measured]) -> None:
    table: list[tuple[str, ...]] = [("from source to verdict", "median", "min", "max", "at most", "ratio")]
    for one in measured:
        median, limit = statistics.median(one.walls_s), one.row.limit_s
        promise = (f"{limit:.1f} s", f"{median / limit:.2f}") if limit else ("", "")
        figures = f"{median:.2f} s", f"{min(one.walls_s):.2f} s", f"{max(one.walls_s):.2f} s"
        table.append((one.row.name, *figures, *promise))
    table += [_ranking(one) for one in measured if one.row.timed]
    print_table(table)
    print_stages({one.row.name: one.judged for one in measured})


def _ranking(one: Measured) -> tuple[str, ...]:
    took = [sum(stages_of(judged)[name] for name in RANKING) / 1000 for judged in one.judged]
    median = statistics.median(took)
    figures = f"{median:.2f} s", f"{min(took):.2f} s", f"{max(took):.2f} s"
    language = "Triton" if one.row.program.language is Language.TRITON else "CUDA"
    name = f"ranking stage alone, {language}{'' if one.row.fresh else ', compiled before'}"
    return (name, *figures, f"{RANKING_LIMIT_S:.1f} s", f"{median / RANKING_LIMIT_S:.2f}")
