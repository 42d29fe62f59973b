"""Estimates the ranked time of a case: the median of the best of three calls, with a bootstrap interval.

The time is at least 95 % of the median of single calls. Otherwise a program that is fast for a third of the
inputs would be ranked by these alone.

A cold call of some kernels takes one of two times, up to 4 % apart. The median of single calls alternates
between the two. A repeatable figure must therefore be a low quantile of the times. The median of the best of
three calls is such a quantile: 1 - 2^(-1/3) = 0.206. The Harrell-Davis estimator computes it from all calls,
regardless of their order, so it varies less between sessions than the median of disjoint triples.
docs/adr/0009-trusted-clock.md has figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

_BEST_OF = 3
_LEAST_OF_MEDIAN = 0.95
_QUANTILE = 1 - 0.5 ** (1 / _BEST_OF)
_RESAMPLES = 2000
_LEVEL = 0.95
_STEPS = 64  # of the integration, for each call
_Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """The median of the best of three, and its 95 % interval, in the unit of the calls' times."""

    median: float
    low: float
    high: float

    @property
    def half_width_share(self) -> float:
        """The larger distance of an interval end from the median, as a fraction of the median."""
        return max(self.high - self.median, self.median - self.low) / self.median


def estimate(times: Sequence[float]) -> Estimate:
    """Return the median of the best of three of `times`, with its percentile bootstrap interval.

    The resampling has a constant seed, so the same times always give the same interval. For fewer than three
    times, the interval runs from the lowest to the highest time.

    Source: F. E. Harrell, C. E. Davis, A new distribution-free quantile estimator, Biometrika 69, 1982.
    B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.

    Raises:
        ValueError: there are no times.
    """
    if not times:
        raise ValueError("no calls to estimate from")
    values = np.sort(np.asarray(times, dtype=np.float64))
    least, most = float(values[0]), float(values[-1])
    median = min(max(float(_ranked(values)), least), most)
    if len(values) < 3:
        return Estimate(median, least, most)
    picks = np.random.default_rng(0).integers(len(values), size=(_RESAMPLES, len(values)), dtype=np.int16)
    picks.sort(axis=1, kind="stable")  # the values are in order, so their indices are too
    low, high = np.quantile(_ranked(values[picks]), [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Estimate(median, max(least, min(float(low), median)), min(most, max(float(high), median)))


def _ranked(values: _Array) -> _Array:
    """Return the ranked time of each row of sorted times."""
    count = values.shape[-1]
    medians = (values[..., (count - 1) // 2] + values[..., count // 2]) / 2
    ranked: _Array = np.maximum(values @ _weights(count), _LEAST_OF_MEDIAN * medians)
    return ranked


@lru_cache(maxsize=128)
def _weights(count: int) -> _Array:
    """Return the weights of `count` sorted values: for each, its share of a beta distribution."""
    a, b = (count + 1) * _QUANTILE, (count + 1) * (1 - _QUANTILE)
    middles = (np.arange(count * _STEPS) + 0.5) / (count * _STEPS)
    density = (a - 1) * np.log(middles) + (b - 1) * np.log1p(-middles)
    shares = np.exp(density - density.max()).reshape(count, _STEPS).sum(axis=1)
    weights: _Array = shares / shares.sum()
    return weights
