"""Judge the accepted shipped solutions on a GPU: `python -m benchmarks.solutions [--problem SLUG ...]`.

Prints the seconds of each judgement, of its stages, and the ranked time of each timed case. `--first` judges
one solution of each problem. `--all` also judges solutions that must not be accepted, and `--wrong` only
those. `--jobs` judges several solutions at a time, but times only one at a time on each GPU. `--record`
writes the times of a problem as soon as all its solutions are judged, for the tables of the editorials: see
`web.catalog.measured`. After `--seconds`, no further judgement starts.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from benchmarks.judging import Judged, Program, add_options, judge, opened, print_table
from benchmarks.verdict_stages import stages_of
from judge.target import Target
from problems.loader import load_problem, problems_root
from problems.schema import Problem, Solution
from problems.vocabulary import Group, Stage, Verdict
from web.catalog import measured

STAGES = (Stage.COMPILE, Stage.CHECK, Stage.EXAMINE, Stage.DRAW, Stage.RANK)


@dataclass(frozen=True, slots=True)
class Row:
    """A solution and its judgement."""

    problem: Problem
    solution: Solution
    judged: Judged

    @property
    def times_us(self) -> dict[str, float]:
        """Return the ranked time of each timed case in microseconds.

        The result is empty if the solution was not ranked.
        """
        cases = self.judged.report.cases if self.judged.report else ()
        return {case.name: case.timing.median_us for case in cases if case.timing is not None}

    @property
    def told(self) -> str:
        """Return how and why the verdict differs from the declared one."""
        report = self.judged.report
        if report is None:
            return f"{self.problem.slug}/{self.solution.path.name}: given up"
        expected = ", ".join(self.judged.program.expected)
        lines = [f"{self.problem.slug}/{self.solution.path.name}: expected {expected}, got {report.verdict}"]
        lines += [f"{report.message}", *report.log.splitlines()[-4:]]
        lines += [f"{case.name}: {case.verdict}, {case.message}" for case in report.cases]
        lines += [f"{one.kind}: {one.message}" for one in report.diagnostics[:4]]
        return "\n    ".join(lines)

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the table."""
        report = self.judged.report
        stages = stages_of(self.judged)
        times = ", ".join(f"{us:.2f}" for us in self.times_us.values())
        return (
            f"{self.problem.slug}/{self.solution.path.name}",
            report.verdict.value if report else "given up",
            f"{self.judged.wall_s:.2f}",
            *(f"{stages[stage] / 1000:.2f}" for stage in STAGES),
            times,
        )


def main() -> int:
    """Judge and print. The exit status says whether every solution was accepted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--problem", action="append", help="its slug; may be repeated; default: all")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--first", action="store_true", help="one solution of each problem")
    kinds.add_argument("--all", action="store_true", help="solutions that must not be accepted, too")
    kinds.add_argument("--wrong", action="store_true", help="only solutions that must not be accepted")
    parser.add_argument("--jobs", type=int, default=1, help="judge so many at a time; default: %(default)s")
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin no judgement after these")
    parser.add_argument("--record", action="store_true", help="write the times for the editorials")
    options = parser.parse_args()
    chosen = list(solutions(options.problem, accepted=not options.wrong, wrong=options.all or options.wrong))
    if options.first:
        chosen = [next(group) for _, group in groupby(chosen, key=lambda pair: pair[0].slug)]
    print_table([("s", "verdict", "all", *STAGES, "us")])
    with opened(options) as target, ThreadPoolExecutor(options.jobs) as threads:
        end = time.monotonic() + options.seconds
        rows: list[Row] = []
        judged = (row for row in threads.map(partial(_judged, target, end), chosen) if row is not None)
        for _, group in groupby(judged, key=lambda row: row.problem.slug):
            several = list(group)
            rows += several
            if options.record and (found := tables(several)):
                measured.record(target.gpu_models[0], found)
    print(f"{len(rows)} solutions were judged, {len(chosen) - len(rows)} were not")
    for row in rows:
        if not row.judged.right:
            print(f"NOT AS DECLARED {row.told}")
    return 0 if all(row.judged.right for row in rows) else 1


def _judged(target: Target, end: float, chosen: tuple[Problem, Solution]) -> Row | None:
    """Judge a solution, print its row, and return it. Return None if the time is over."""
    if time.monotonic() > end:
        return None
    problem, solution = chosen
    source = solution.path.read_text(encoding="utf-8")
    program = Program(solution.path.name, solution.language, source, solution.allowed(on_gpu=True))
    row = Row(problem, solution, judge(target, problem, program))
    print_table([row.cells()])
    return row


def solutions(
    slugs: list[str] | None, *, accepted: bool = True, wrong: bool = False
) -> Iterator[tuple[Problem, Solution]]:
    """Yield the solutions of the problems `slugs`, or of all problems.

    `accepted` selects those that must be accepted, and `wrong` all others.
    """
    for path in sorted(problems_root().glob("*/problem.toml")):
        problem = load_problem(path.parent)
        if slugs and problem.slug not in slugs:
            continue
        kinds = {True: accepted, False: wrong}
        yield from ((problem, one) for one in problem.solutions if kinds[one.verdict is Verdict.ACCEPTED])


def tables(rows: Sequence[Row]) -> dict[str, measured.Table]:
    """Return the times by slug, for each problem whose accepted solutions are ranked.

    A solution that may reach the time limit on a GPU may be missing from the table of its problem.
    """
    found = {}
    for slug, group in groupby(rows, key=lambda row: row.problem.slug):
        several = [row for row in group if row.solution.verdict is Verdict.ACCEPTED]
        if not several:
            continue
        problem = several[0].problem
        cases = tuple(case.name for case in problem.cases if case.group is Group.TIMED)
        required = {one.path for one in problem.solutions if one.allowed(on_gpu=True) == (Verdict.ACCEPTED,)}
        ranked = [row for row in several if len(row.times_us) == len(cases)]
        if cases and required and required <= {row.solution.path for row in ranked}:
            found[slug] = measured.Table(problem.version, cases, tuple(map(_line_of, ranked)))
    return found


def _line_of(row: Row) -> measured.Line:
    solution = row.solution
    times = tuple(round(us, 2) for us in row.times_us.values())
    return measured.Line(solution.label or solution.path.stem, solution.language.value, times)


if __name__ == "__main__":
    raise SystemExit(main())
