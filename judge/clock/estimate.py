"""Medians with intervals, by the bootstrap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 2000
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median and its 95 % interval, in the unit of the samples."""

    median: float
    low: float
    high: float

    @property
    def half_width_share(self) -> float:
        """The larger distance of an interval end from the median, as a fraction of the median."""
        return max(self.high - self.median, self.median - self.low) / self.median


def estimate(samples: Sequence[float]) -> Estimate:
    """The median of `samples` with its percentile bootstrap interval.

    The resampling is seeded by a constant, so that the same samples always give the same interval. Of one
    or two samples the interval is all that is known: from the lowest to the highest.

    Source: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.

    Raises:
        ValueError: there are no samples.
    """
    if not samples:
        raise ValueError("no samples to estimate from")
    values = np.asarray(samples, dtype=np.float64)
    median = float(np.median(values))
    if len(values) < 3:
        return Estimate(median, float(values.min()), float(values.max()))
    picks = np.random.default_rng(0).integers(len(values), size=(_RESAMPLES, len(values)))
    medians = np.median(values[picks], axis=1)
    low, high = np.quantile(medians, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Estimate(median, min(float(low), median), max(float(high), median))
