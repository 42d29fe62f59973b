"""Estimates the number of GPUs for a daily load and a maximum wait, and the cost of a submission under load.

    python -m benchmarks.capacity                      # takes minutes; --loads 1000,10000 takes seconds

Simulates the busiest hour of a day (`benchmarks.judge_hosts`), after an hour that leads up to it. Service
times were measured on an H200 (docs/measurements.md, "On a GPU"). Users arrive at random. Their rate follows
a von Mises curve over the day; at the busiest moment it is `--peak` times the mean. For each load and each
wait in WAITS_S, the program searches for the smallest number of GPUs with which 95 of 100 submissions of that
hour wait no longer. At the end, it simulates KEDA adding and removing GPUs for a class
(`benchmarks.autoscaling`).

The real mix of submissions on a large site is unknown, so options define it. The simulation excludes the site
itself (see `benchmarks.load`), faults, unhealthy GPUs, and times that differ from their median.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

import numpy as np

from benchmarks.autoscaling import SYNC_S, Scaled, ScaledCourt, Scaling, modelled_waits
from benchmarks.judge_hosts import Court, Job, Outcome, Work
from benchmarks.judging import print_table

DAY_S, HOUR_S = 86_400.0, 3600.0
WAITS_S = (60.0, 10.0, 1.0)
AT_A_TIME = (1, 2, 4, 8)
SAMPLES = 20_000  # simulated submissions of busiest hours, over as many days as necessary
CLASS, WITHIN_S = 300, 60.0
BURSTS, BURST_S, BASE = 20, 900, 0.2
# Measured under MPS with 8 submissions at a time: 163 per minute, although each needs the GPU for 0.03 s
# only. Starting containers is the bottleneck.
CONTAINER_S = 60 / 163
# Medians from source to verdict. All of a judgement except `start`, `check` and `rank` counts as building.
MEASURED = {
    "CUDA, new source": Work(build_s=0.915, start_s=0.219, check_s=0.015),
    "CUDA, compiled before": Work(build_s=0.007, start_s=0.219, check_s=0.014),
    "Triton, new source": Work(build_s=0.007, start_s=0.707, check_s=0.386),
    "CUDA, new source, ranked": Work(build_s=0.471, start_s=0.219, check_s=0.014, rank_s=0.625),
    "Triton, new source, ranked": Work(build_s=0.137, start_s=0.707, check_s=0.386, rank_s=0.75),
}
# Measured: seconds per submission with 1 and with 8 at a time; median latency with 8.
CHECKED = 60 / 187, 60 / 163, 2.71


@dataclass(frozen=True, slots=True)
class Mix:
    """A mix of submissions.

    `runs`, `triton` and `new` are fractions of all submissions, `accepted` is a fraction of submits.
    """

    runs: float
    accepted: float
    triton: float
    new: float

    def draw(self, rng: Random) -> Work:
        """Return the work of a random submission."""
        run = rng.random() < self.runs
        ranked = not run and rng.random() < self.accepted
        language = "Triton" if rng.random() < self.triton else "CUDA"
        # Users often run a program before they submit it, which saves compiling. But for a ranked program,
        # compiling overlaps with other steps anyway.
        seen = language == "CUDA" and not ranked and rng.random() >= self.new
        name = f"{language}, {'compiled before' if seen else 'new source'}{', ranked' if ranked else ''}"
        return replace(MEASURED[name], interactive=run)


@dataclass(frozen=True, slots=True)
class Day:
    """A load: submissions per day, their mix, and the ratio of the busiest moment to the mean."""

    submissions: int
    mix: Mix
    peak: float

    def rate_per_s(self, at_s: float) -> float:
        """Return the submissions per second, `at_s` seconds after the busiest moment."""
        kappa = concentration(self.peak)
        shape = math.exp(kappa * math.cos(2 * math.pi * at_s / DAY_S)) / float(np.i0(kappa))
        return self.submissions / DAY_S * shape

    def busiest(self, rng: Random) -> Iterator[Job]:
        """Yield the submissions from 1.5 hours before the busiest moment to half an hour after it."""
        most, at_s = self.rate_per_s(0.0), -1.5 * HOUR_S
        while (at_s := at_s + rng.expovariate(most)) < HOUR_S / 2:
            if rng.random() * most < self.rate_per_s(at_s):
                yield Job(at_s + 1.5 * HOUR_S, self.mix.draw(rng))


@dataclass(frozen=True, slots=True)
class Wanted:
    """The number of GPUs for a load, and the waits in the busiest hour."""

    gpus: int
    waits_s: Sequence[float]
    verdicts_s: Sequence[float]
    used: float

    def row(self, day: Day, wait_s: float) -> tuple[str, ...]:
        """Return a table row."""
        return (
            f"{day.submissions:,} a day, {day.rate_per_s(0):.2f} a second at most",
            f"{wait_s:g} s",
            f"{self.gpus}",
            f"{percentile(self.waits_s, 50):.2f} s",
            f"{percentile(self.waits_s, 95):.2f} s",
            f"{percentile(self.verdicts_s, 50):.2f} s",
            f"{percentile(self.verdicts_s, 95):.2f} s",
            f"{100 * self.used:.0f} %",
            f"{self.gpus * DAY_S / day.submissions:.2f}",
        )


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity", description=main.__doc__)
    parser.add_argument("--loads", type=_numbers, default=(1000, 10_000, 100_000, 1_000_000))
    parser.add_argument("--peak", type=float, default=3.0, help="busiest moment against the mean")
    parser.add_argument("--runs", type=float, default=0.5, help="part of all that are runs")
    parser.add_argument("--accepted", type=float, default=0.5, help="part of the submits; those are timed")
    parser.add_argument("--triton", type=float, default=0.3, help="part of all in Triton")
    parser.add_argument("--new", type=float, default=0.75, help="part of CUDA that was never compiled")
    parser.add_argument(
        "--at-a-time", type=int, choices=AT_A_TIME, default=2, help="submissions that a host judges at a time"
    )
    parser.add_argument(
        "--pod-start", type=float, default=60.0, help="seconds from the decision to add a pod until it judges"
    )
    parser.add_argument("--gpu-hour", type=float, help="what an hour of a GPU costs, in any currency")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    mix = Mix(options.runs, options.accepted, options.triton, options.new)
    check_against_measurements()
    print()
    rates = compare_concurrency(mix, options.seed)
    print()
    days = [Day(load, mix, options.peak) for load in options.loads]
    report(days, options, rates[options.at_a_time])
    print()
    report_class(mix, options.at_a_time, options.seed)
    print()
    scaling = Scaling(start_s=options.pod_start)
    report_autoscaling(scale_bursts(mix, scaling, options.at_a_time, rates[options.at_a_time], options.seed))
    return 0


def check_against_measurements() -> None:
    """Simulate the runs that were measured, and print both results."""
    one, eight = (saturated([MEASURED["CUDA, compiled before"]] * 400, at_a_time=n) for n in (1, 8))
    median_s = percentile([job.judged_s - job.claimed_s for job in eight.jobs], 50)
    simulated = one.span_s / 400, eight.span_s / 400, median_s
    names = "1 at a time, seconds for each", "8 at a time, seconds for each", "8 at a time, median judgement"
    rows = [("the simulation against what was measured", "measured", "simulated", "ratio")]
    for name, real, made in zip(names, CHECKED, simulated, strict=True):
        rows.append((name, f"{real:.2f}", f"{made:.2f}", f"{made / real:.2f}"))
    print_table(rows)


def compare_concurrency(mix: Mix, seed: int) -> dict[int, float]:
    """Print how many submissions of `mix` one GPU judges per second, by the number judged at a time."""
    rates: dict[int, float] = {}
    rows = [("one GPU that always has work", "a minute", "a day", "median judgement")]
    for at_a_time in AT_A_TIME:
        rng = Random(seed)
        outcome = saturated([mix.draw(rng) for _ in range(4000)], at_a_time=at_a_time)
        rate = rates[at_a_time] = len(outcome.jobs) / outcome.span_s
        took_s = percentile([job.judged_s - job.claimed_s for job in outcome.jobs], 50)
        rows.append((f"{at_a_time} at a time", f"{60 * rate:.0f}", f"{DAY_S * rate:,.0f}", f"{took_s:.2f} s"))
    print_table(rows)
    return rates


def report(days: Sequence[Day], options: argparse.Namespace, rate_per_s: float) -> None:
    """Print GPUs and waits for each load, then the cost of a submission."""
    heading = (
        "load",
        "wanted wait",
        "GPUs",
        "wait p50",
        "p95",
        "verdict p50",
        "p95",
        "GPU used",
        "GPU s each",
    )
    rows: list[tuple[str, ...]] = [heading]
    cheapest: list[tuple[Day, Wanted]] = []
    for day in days:
        gpus = max(1, math.ceil(0.9 * day.rate_per_s(0) / rate_per_s))
        for wait_s in WAITS_S:
            found = fewest(day, wait_s, gpus, at_a_time=options.at_a_time, seed=options.seed)
            gpus = found.gpus
            rows.append(found.row(day, wait_s))
        cheapest.append((day, found))
    print_table(rows)
    print()
    rows = [(f"cost of a submission, 95 of 100 waiting at most {WAITS_S[-1]:g} s", "load", "GPU s", "ratio")]
    first_day, first = cheapest[0]
    for day, found in cheapest:
        each, of_first = (one.gpus * DAY_S / of.submissions for of, one in ((day, found), (first_day, first)))
        price = "" if options.gpu_hour is None else f", {options.gpu_hour * each / HOUR_S:.5f} in money"
        growth = f"{day.submissions / first_day.submissions:g} times"
        rows.append((f"{day.submissions:,} a day{price}", growth, f"{each:.2f}", f"{each / of_first:.4f}"))
    print_table(rows)


def report_class(mix: Mix, at_a_time: int, seed: int) -> None:
    """Print how long the users of a class wait if they all submit at the same time."""
    rows = [(f"{CLASS} users submit within {WITHIN_S:g} s", "wait p50", "p95", "last verdict")]
    for gpus in (1, 2, 4, 8):
        rng = Random(seed)
        times = sorted(rng.uniform(0, WITHIN_S) for _ in range(CLASS))
        jobs = [Job(at_s, replace(mix.draw(rng), interactive=False)) for at_s in times]
        Court(gpus, at_a_time=at_a_time, container_s=CONTAINER_S).judge(jobs)
        waits_s = [job.wait_s for job in jobs]
        last_s = max(job.judged_s for job in jobs) - WITHIN_S
        rows.append(
            (
                f"{gpus} GPU{'s' if gpus > 1 else ''}",
                f"{percentile(waits_s, 50):.1f} s",
                f"{percentile(waits_s, 95):.1f} s",
                f"{max(0.0, last_s):.0f} s after",
            )
        )
    print_table(rows)


@dataclass(frozen=True, slots=True)
class Burst:
    """A simulated class on GPUs that KEDA scales.

    There is a result with deletion cost, one without it, and that of the model.
    """

    scaled: Scaled
    without_costs: Scaled
    p95_s: float
    model_p95_s: float


def scale_bursts(mix: Mix, scaling: Scaling, at_a_time: int, rate_per_s: float, seed: int) -> list[Burst]:
    """Simulate BURSTS classes. Each begins at a different moment between two checks of the autoscaler."""
    bursts: list[Burst] = []
    for number in range(BURSTS):
        rng = Random(seed + number)
        begin_s = WITHIN_S + SYNC_S * number / BURSTS
        times = [rng.uniform(begin_s, begin_s + WITHIN_S) for _ in range(CLASS)]
        times += [rng.uniform(0, BURST_S) for _ in range(round(BASE * rate_per_s * BURST_S))]
        works = [replace(mix.draw(rng), interactive=False) for _ in times]
        with_costs, without = (
            ScaledCourt(scaling, at_a_time=at_a_time, container_s=CONTAINER_S, costs=costs).judge(
                [Job(at_s, work) for at_s, work in zip(sorted(times), works, strict=True)],
                seconds=BURST_S,
                first_sync_s=SYNC_S,
            )
            for costs in (True, False)
        )
        second = np.arange(BURST_S)
        during = np.minimum(second + 1, begin_s + WITHIN_S) - np.maximum(second, begin_s)
        arrivals = BASE * rate_per_s + CLASS / WITHIN_S * np.clip(during, 0, 1)
        waits_s = modelled_waits(
            arrivals, scaling, rate_per_s=rate_per_s, at_a_time=at_a_time, first_sync_s=SYNC_S
        )
        order = np.argsort(waits_s)
        upto = np.cumsum(arrivals[order])
        model_s = float(waits_s[order][np.searchsorted(upto, 0.95 * upto[-1])])
        p95_s = percentile([job.wait_s for job in with_costs.jobs], 95)
        bursts.append(Burst(with_costs, without, p95_s, model_s))
    return bursts


def report_autoscaling(bursts: Sequence[Burst]) -> None:
    """Print the results of autoscaling."""
    simulated_s, modelled_s = (
        sum(values) / len(bursts) for values in zip(*((b.p95_s, b.model_p95_s) for b in bursts), strict=True)
    )
    print_table(
        [
            (f"KEDA scales for {CLASS} users within {WITHIN_S:g} s, {len(bursts)} times", ""),
            ("GPUs", " -> ".join(str(pods) for pods in typical_steps(bursts))),
            ("wait p95, simulated", f"{simulated_s:.1f} s"),
            ("wait p95, model", f"{modelled_s:.1f} s"),
            ("simulated by model", f"{simulated_s / modelled_s:.2f}"),
            ("pods removed", f"{sum(b.scaled.removed for b in bursts)}"),
            ("of these while they judged", f"{sum(b.scaled.removed_judging for b in bursts)}"),
            ("the same without deletion cost", f"{sum(b.without_costs.removed_judging for b in bursts)}"),
            ("jobs that were killed", f"{sum(b.scaled.interrupted for b in bursts)}"),
        ]
    )


def typical_steps(bursts: Sequence[Burst]) -> tuple[int, ...]:
    """Return the most frequent sequence of numbers of GPUs."""
    found = [tuple(pods for _, pods in burst.scaled.steps) for burst in bursts]
    return max(found, key=found.count)


def fewest(day: Day, wait_s: float, gpus: int, *, at_a_time: int, seed: int) -> Wanted:
    """Return the smallest number of GPUs with which 95 of 100 submissions wait at most `wait_s`.

    The search starts at `gpus`.
    """
    while percentile((found := busiest_hour(day, gpus, at_a_time, seed)).waits_s, 95) > wait_s:
        gpus += max(1, gpus // 40)
    return found


@cache
def busiest_hour(day: Day, gpus: int, at_a_time: int, seed: int) -> Wanted:
    """Return the waits in the busiest hour, over enough days for a stable estimate."""
    rng, waits_s, verdicts_s, used = Random(seed), list[float](), list[float](), list[float]()
    while len(waits_s) < SAMPLES:
        court = Court(gpus, at_a_time=at_a_time, container_s=CONTAINER_S)
        outcome = court.judge(day.busiest(rng))
        watched = [job for job in outcome.jobs if job.handed_in_s >= HOUR_S]
        waits_s += [job.wait_s for job in watched]
        verdicts_s += [job.verdict_s for job in watched]
        used.append(outcome.used)
    return Wanted(gpus, sorted(waits_s), sorted(verdicts_s), sum(used) / len(used))


def saturated(works: Sequence[Work], *, at_a_time: int) -> Outcome:
    """Return the outcome for one GPU if all `works` are submitted at the start."""
    court = Court(1, at_a_time=at_a_time, container_s=CONTAINER_S)
    return court.judge([Job(0.0, work) for work in works])


@cache
def concentration(peak: float) -> float:
    """Return the kappa of a von Mises curve with the maximum `peak` times its mean: exp(k) / I0(k) = peak."""
    if not 1 <= peak <= 10:
        raise SystemExit("--peak takes 1 to 10")
    low, high = 0.0, 700.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if math.exp(middle) / float(np.i0(middle)) < peak else (low, middle)
    return low


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value that `percent` of 100 values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
