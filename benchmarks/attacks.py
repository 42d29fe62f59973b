"""Gains of attacks on ranked times: `python -m benchmarks.attacks [--rounds N] [--seconds S] [--kernel K]`.

Judges the attacks of `tests/gpu/threats` on vector addition and on sums, each as a fresh submission. Every
submission has three timed cases, of about 100, 30 and 6 microseconds. The output of an addition is large, and
the output of a sum is one number. The benchmark submits the attack N times, and the honest program with the
same kernel N times. For each attack and case, it prints the best and the median time of both. The gain is the
difference of the best times: the advantage of an attacker over an honest user who submits as often. The limit
is 1 % + 0.6 us. An attack that is not accepted gains nothing, so the benchmark prints its verdict. After S
seconds, the benchmark starts no further attack.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

from benchmarks.judging import Program, add_options, judge, opened, print_table, timed_problem
from judge.report import Report
from judge.target import Target
from problems.schema import Problem
from problems.vocabulary import Language, Verdict
from tests.gpu.threats.table import TIMING, source, source_for_sums

LIMIT_SHARE, LIMIT_US = 0.01, 0.6
ATTACKS = {
    attack.file: attack
    for attack in TIMING
    if attack.language is Language.CUDA and "(PASS" in attack.source_of_its_own
}
KERNELS: dict[str, tuple[str, tuple[int, ...], Callable[[str], str]]] = {
    "addition": ("vector-add", (40_000_000, 12_000_000, 1_500_000), source),
    "sum": ("reduction-sum", (100_000_000, 30_000_000, 4_000_000), source_for_sums),
}


def main() -> int:
    """Measure and print. The exit status says whether any attack gained more than the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=300.0, help="start no further attack after these")
    parser.add_argument("--kernel", action="append", choices=KERNELS, help="a kernel; may be given again")
    parser.add_argument("--only", action="append", choices=ATTACKS, help="an attack; may be given again")
    options = parser.parse_args()
    started = time.monotonic()
    kept = True
    rows: list[tuple[str, ...]] = [("kernel", "attack", "verdict", "best, median", "honest", "gain", "limit")]
    with opened(options) as target:
        for kernel in options.kernel or KERNELS:
            slug, sizes, program_of = KERNELS[kernel]
            problem = timed_problem(slug, sizes)
            chosen = [ATTACKS[file] for file in options.only or ATTACKS]
            print(f"{kernel}: {options.rounds} submissions of each honest program first", flush=True)
            honest_us = {
                file: honest_figures(target, problem, program_of(file), rounds=options.rounds)
                for file in dict.fromkeys(attack.honest for attack in chosen)
            }
            for attack in chosen:
                spent_s = time.monotonic() - started
                if spent_s > options.seconds:
                    break
                print(
                    f"{kernel}: {options.rounds} submissions of {attack.file} after {spent_s:.0f} s",
                    flush=True,
                )
                reports = rounds_of(target, problem, program_of(attack.file), options.rounds)
                for row in rows_of(kernel, attack.file, reports, honest_us[attack.honest]):
                    print("  ".join(row), flush=True)
                    rows.append(row)
                    kept = kept and row[-1] != "EXCEEDED"
    print_table(rows)
    return 0 if kept else 1


def honest_figures(target: Target, problem: Problem, text: str, *, rounds: int) -> list[tuple[float, ...]]:
    """Return, for each timed case, the times of an honest program in `rounds` submissions."""
    found = [figures(report) for report in rounds_of(target, problem, text, rounds)]
    if not all(found):
        raise SystemExit("an honest program was not ranked; this benchmark needs a target that ranks")
    return list(zip(*found, strict=True))


def rounds_of(target: Target, problem: Problem, text: str, rounds: int) -> list[Report]:
    """Return the reports of `rounds` fresh submissions."""
    reports, walls_s = [], []
    for number in range(rounds):
        program = Program(f"round {number}", Language.CUDA, text, tuple(Verdict)).rebuilt()
        judged = judge(target, problem, program)
        if judged.report is None:
            raise SystemExit("the judge gave up on a submission")
        reports.append(judged.report)
        walls_s.append(judged.wall_s)
    print(f"  {rounds} submissions, {statistics.median(walls_s):.1f} s each", flush=True)
    return reports


def figures(report: Report) -> list[float]:
    """Return the median of each timed case. The list is empty if the submission was not ranked."""
    if not report.ranked:
        return []
    return [case.timing.median_us for case in report.cases if case.timing is not None]


def rows_of(
    kernel: str, file: str, reports: Sequence[Report], honest_us: Sequence[Sequence[float]]
) -> list[tuple[str, ...]]:
    """Return the table rows of one attack.

    There is one row for each case, or a single row with the verdict if the attack was never ranked.
    `honest_us` contains the times of the honest program for each case.
    """
    ranked = [figures(report) for report in reports if report.ranked]
    if not ranked:
        words = sorted({f"{report.verdict}: {report.message}"[:60] for report in reports})
        return [(kernel, file, words[0], "-", "-", "-", "kept")]
    rows: list[tuple[str, ...]] = []
    for got, honest in zip(zip(*ranked, strict=True), honest_us, strict=True):
        best, honest_best = min(got), min(honest)
        gain = honest_best - best
        limit = LIMIT_SHARE * honest_best + LIMIT_US
        rows.append(
            (
                kernel,
                file,
                "accepted",
                f"{best:.2f}, {statistics.median(got):.2f} us",
                f"{honest_best:.2f}, {statistics.median(honest):.2f} us",
                f"{gain:+.2f} us, {100 * gain / honest_best:+.1f} %",
                "kept" if gain <= limit else "EXCEEDED",
            )
        )
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
