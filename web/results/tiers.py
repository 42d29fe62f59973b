"""Points by speed: which percentages of the vendor baseline's speed a ranked time reaches."""

from dataclasses import dataclass

from problems.vocabulary import BaselineKind
from web.leaderboards.queries import baselines
from web.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Tier:
    """A percentage of the baseline's speed, and the longest time in microseconds that reaches it."""

    percent: int
    time_us: float
    reached: bool


@dataclass(frozen=True, slots=True)
class Tiers:
    """The tiers of a problem next to a ranked time. `baseline` is the fastest of the vendor on that GPU.

    `percent` is the speed of the submission, with that of the baseline as 100. `baseline` is empty, and there
    are no times, if no baseline was timed on that GPU yet.
    """

    baseline: str
    percent: float
    tiers: tuple[Tier, ...]

    @property
    def points(self) -> int:
        """Return how many tiers the time reaches."""
        return sum(tier.reached for tier in self.tiers)

    @property
    def next(self) -> Tier | None:
        """Return the lowest tier that the time does not reach, None if it reaches all."""
        return next((tier for tier in self.tiers if not tier.reached), None)


def tiers_of(submission: Submission) -> Tiers | None:
    """Return the tiers of a submission, None if its problem has none or it has no ranked time."""
    declared, report = submission.problem.tiers, getattr(submission, "report", None)
    if not declared or report is None or not report.ranked or report.score_us is None:
        return None
    found = baselines(submission.problem, report.gpu_model, report.version)
    vendor = next((known for known in found if known.kind is BaselineKind.VENDOR), None)
    if vendor is None:
        return Tiers("", 0.0, ())
    best_us, time_us = vendor.score.median_us, report.score_us
    needed = ((percent, best_us * 100 / percent) for percent in declared)
    return Tiers(
        vendor.label,
        100 * best_us / time_us,
        tuple(Tier(percent, least_us, time_us <= least_us) for percent, least_us in needed),
    )
