"""Computes the resources for a load from the measured cost of one submission: `python -m benchmarks.scale`.

The program only multiplies and does not measure. Each constant names the command that measured it;
docs/measurements.md has the conditions. A real site has other hardware, problems and habits, so the results
are orders of magnitude. `benchmarks.capacity` computes the number of GPUs.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.judging import print_table

DAY_S, YEAR_DAYS = 86_400, 365
# python -m benchmarks.load: processor time of one submission without other load
SITE_S, WORKER_S, DATABASE_S, BROKER_S = 0.082, 0.078, 0.074, 0.003
# The same command: a class at normal pace, including all the pages that it reads, on two cores
CLASS, CLASS_SUBMISSIONS_PER_S, CORES = 300, 3.1, 2
CLASS_SITE, CLASS_WORKER, CLASS_DATABASE = 0.24, 0.13, 0.11
# python -m benchmarks.database_work: statements of a worker are claim, a heartbeat, 14 steps and verdict
SITE_STATEMENTS, WORKER_STATEMENTS, ROWS_WRITTEN, STORED_BYTES = 23, 84, 71, 2504
# python -m benchmarks.event_streams, on PostgreSQL
STREAM_KIB, STREAMS_PER_CORE = 41, 1000 / 0.11
ROUND_TRIPS_MS = (0.5, 2, 30, 80, 150)


@dataclass(frozen=True, slots=True)
class Load:
    """Submissions per day, and the ratio of the busiest moment to the mean."""

    submissions: int
    peak: float

    @property
    def peak_per_s(self) -> float:
        """Return the submissions per second at the busiest moment."""
        return self.peak * self.submissions / DAY_S

    @property
    def classes(self) -> float:
        """Return how many classes at normal pace submit this much."""
        return self.peak_per_s / CLASS_SUBMISSIONS_PER_S

    def figures(self) -> dict[str, str]:
        """Return the resources that a site needs for this load, by name."""
        rate, users = self.peak_per_s, self.classes * CLASS
        of_class = self.classes * CORES
        day_bytes = self.submissions * STORED_BYTES
        return {
            "submissions per day": f"{self.submissions:,}",
            "submissions per second, mean": f"{self.submissions / DAY_S:.1f}",
            "submissions per second, peak": f"{rate:.1f}",
            "users at work at the peak": f"{users:,.0f}",
            "statements per second": f"{rate * (SITE_STATEMENTS + WORKER_STATEMENTS):,.0f}",
            "rows written per second": f"{rate * ROWS_WRITTEN:,.0f}",
            "cores: submissions alone, site": f"{rate * SITE_S:.1f}",
            "cores: submissions alone, workers": f"{rate * WORKER_S:.1f}",
            "cores: submissions alone, database": f"{rate * DATABASE_S:.1f}",
            "cores: submissions alone, broker": f"{rate * BROKER_S:.1f}",
            "cores: with pages, site": f"{of_class * CLASS_SITE:.1f}",
            "cores: with pages, workers": f"{of_class * CLASS_WORKER:.1f}",
            "cores: with pages, database": f"{of_class * CLASS_DATABASE:.1f}",
            "event streams: memory": f"{users * STREAM_KIB / 1024:,.0f} MiB",
            "event streams: cores": f"{users / STREAMS_PER_CORE:.1f}",
            "stored per day": f"{day_bytes / 2**30:.1f} GiB",
            "stored per year": f"{day_bytes * YEAR_DAYS / 2**30:,.0f} GiB",
            "submissions after a year": f"{self.submissions * YEAR_DAYS / 1e6:,.0f} million",
        }


def main() -> int:
    """Print the resources for several loads, and the cost of a distant database."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=main.__doc__)
    parser.add_argument("--loads", type=_numbers, default=(1_000_000, 333_333))
    parser.add_argument("--peak", type=float, default=3.0, help="busiest moment against the mean")
    options = parser.parse_args()
    found = [Load(submissions, options.peak).figures() for submissions in options.loads]
    print_table([("", *(f"load {number + 1}" for number in range(len(found)))), *rows_of(found)])
    print()
    print_table(
        [("round trip to the database", "added to a verdict, worker", "to a submission, site"), *distances()]
    )
    return 0


def rows_of(figures: Sequence[dict[str, str]]) -> list[tuple[str, ...]]:
    """Return a row for each figure."""
    return [(name, *(column[name] for column in figures)) for name in figures[0]]


def distances() -> list[tuple[str, str, str]]:
    """Return the time that round trips to the database add. Statements run one after the other."""
    return [
        (
            f"{trip_ms:g} ms",
            f"{trip_ms * WORKER_STATEMENTS / 1000:.2f} s",
            f"{trip_ms * SITE_STATEMENTS / 1000:.2f} s",
        )
        for trip_ms in ROUND_TRIPS_MS
    ]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
