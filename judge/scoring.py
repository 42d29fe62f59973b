"""Computes the score of a submission from the timings of its cases, and ranks from scores.

The score is the geometric mean of the medians, so halving the time of any case has the same effect, and no
case dominates. Its interval comes from the cases' intervals, whose half widths are independent on a
logarithmic scale: the variance of a mean of k independent logarithms is the sum of theirs over k².

If a problem has a score of its own, its checker gives each right output a number, and the score of a program
is their arithmetic mean. It has no interval: all programs get the same contents (`judge.seeds`).
"""

import itertools
import math
from collections.abc import Sequence

from judge.report import CaseReport, Score, Timing
from problems.schema import Problem, suits_gpu


def unsuited(problem: Problem, gpu_model: str) -> str:
    """Return why a result on that GPU model is not ranked; empty if the problem is ranked on it.

    Submissions are routed to a suitable GPU. A submission made while there was none, or for an earlier
    version of the problem, can still run on another.
    """
    words = problem.limits.gpus
    if suits_gpu(words, gpu_model):
        return ""
    return f"Not ranked: this problem is ranked on {' or '.join(words)}, but this ran on {gpu_model}."


def score(timings: Sequence[Timing]) -> Score:
    """Return the score of these timed cases.

    Raises:
        ValueError: there are no timings, or a timing is not a positive finite time within its interval. The
            clock never yields such a timing, and the logarithm of zero is undefined.
    """
    if not timings:
        raise ValueError("a score needs at least one timed case")
    for timing in timings:
        _require_possible(timing)
    logs = [math.log(timing.median_us) for timing in timings]
    centre = math.fsum(logs) / len(logs)
    below = [log - math.log(timing.low_us) for log, timing in zip(logs, timings, strict=True)]
    above = [math.log(timing.high_us) - log for log, timing in zip(logs, timings, strict=True)]
    return Score(
        median_us=math.exp(centre),
        low_us=math.exp(centre - math.hypot(*below) / len(logs)),
        high_us=math.exp(centre + math.hypot(*above) / len(logs)),
    )


def checker_score(problem: Problem, reports: Sequence[CaseReport]) -> float | None:
    """Return the score of an accepted program by the problem's checker; None if the problem has none.

    The score is the mean over the hidden cases that the problem names, by default over all untimed hidden
    cases. A run has no hidden cases, so all its cases count. The score is rounded to four digits, because a
    program could use more digits to reveal hidden contents, and the last digits are not significant.
    """
    if problem.score is None:
        return None
    scored = [report for report in reports if report.checker_score is not None and report.timing is None]
    hidden = [report for report in scored if not report.public]
    named = [report for report in hidden if not problem.score.cases or report.name in problem.score.cases]
    counted = [report.checker_score for report in named or scored if report.checker_score is not None]
    return float(f"{math.fsum(counted) / len(counted):.4g}") if counted else None


def rank(scores: Sequence[Score]) -> list[int]:
    """Return the rank of each score, in their order: 1 for the fastest, equal ranks for ties, then a gap.

    A score ties with the best of the ranks just above it when their intervals overlap. Overlap is not
    transitive, so every group of ties is anchored at its fastest member: if a ties with b, and b overlaps c,
    c still ranks lower unless it overlaps a. No chain of neighbours can pull a slow
    submission up to the first place.
    """
    order = sorted(range(len(scores)), key=lambda index: (scores[index].median_us, scores[index].high_us))
    ranks = [0] * len(scores)
    anchor: Score | None = None
    current = 0
    for place, index in enumerate(order, start=1):
        if anchor is None or scores[index].low_us > anchor.high_us:
            anchor, current = scores[index], place
        ranks[index] = current
    return ranks


def _require_possible(timing: Timing) -> None:
    figures = (timing.low_us, timing.median_us, timing.high_us)
    ordered = all(low <= high for low, high in itertools.pairwise(figures))
    if not all(math.isfinite(figure) and figure > 0 for figure in figures) or not ordered:
        raise ValueError(f"cannot score this timing: {figures} us")
