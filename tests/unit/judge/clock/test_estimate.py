"""Medians and their intervals."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.clock.estimate import estimate

SAMPLES = st.lists(st.floats(0.1, 1e6), min_size=1, max_size=40)


@given(SAMPLES)
def test_the_interval_holds_the_median_and_stays_within_the_samples(samples: list[float]) -> None:
    found = estimate(samples)
    assert min(samples) <= found.low <= found.median <= found.high <= max(samples)


@given(SAMPLES, st.randoms(use_true_random=False))
def test_the_median_does_not_depend_on_the_order(samples: list[float], dice: random.Random) -> None:
    shuffled = samples[:]
    dice.shuffle(shuffled)
    assert estimate(shuffled).median == estimate(samples).median


def test_the_interval_covers_the_true_median_about_as_often_as_it_says() -> None:
    dice = random.Random(4)
    covered = 0
    for _ in range(200):
        found = estimate([dice.gauss(100, 1) for _ in range(15)])
        covered += found.low <= 100 <= found.high
    assert 0.88 <= covered / 200 <= 1


def test_a_constant_has_no_width() -> None:
    assert estimate([5.0] * 6).half_width_share == 0


def test_nothing_has_no_median() -> None:
    with pytest.raises(ValueError, match="no samples"):
        estimate([])
