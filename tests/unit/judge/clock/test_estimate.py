"""Medians and their intervals."""

import random
import statistics
from collections.abc import Callable

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


def test_the_figure_is_the_median_of_the_best_of_three() -> None:
    dice = random.Random(3)
    times = [20.0 + dice.expovariate(1.0) for _ in range(3000)]
    best_of_three = statistics.median(min(dice.sample(times, 3)) for _ in range(3000))
    assert estimate(times).median == pytest.approx(best_of_three, rel=0.005)


@pytest.mark.parametrize("fast_share", [0.25, 0.45])
def test_a_program_that_is_fast_for_some_inputs_only_is_not_ranked_by_these(fast_share: float) -> None:
    fast, count = round(96 * fast_share), 96
    found = estimate([50.0] * fast + [100.0] * (count - fast))
    assert found.median == pytest.approx(95.0)
    assert found.low <= 95.0 <= found.high


def test_a_program_that_is_fast_for_most_inputs_is_ranked_by_these() -> None:
    assert estimate([50.0] * 60 + [100.0] * 36).median == pytest.approx(50.0)


def test_the_interval_covers_the_true_figure_about_as_often_as_it_says() -> None:
    dice = random.Random(4)
    true = statistics.NormalDist(100, 1).inv_cdf(1 - 0.5 ** (1 / 3))
    covered = 0
    for _ in range(200):
        found = estimate([dice.gauss(100, 1) for _ in range(24)])
        covered += found.low <= true <= found.high
    assert 0.88 <= covered / 200 <= 1


def test_figures_of_calls_that_take_one_of_two_times_repeat_better_than_a_median_of_triples() -> None:
    dice = random.Random(5)

    def spread(figure: Callable[[list[float]], float]) -> float:
        rounds = [[dice.choice((28.4, 29.7)) + dice.gauss(0, 0.3) for _ in range(48)] for _ in range(100)]
        return statistics.stdev(figure(times) for times in rounds)

    def of_triples(times: list[float]) -> float:
        return statistics.median(min(times[at : at + 3]) for at in range(0, len(times), 3))

    assert spread(lambda times: estimate(times).median) < 0.9 * spread(of_triples)


def test_a_constant_has_no_width() -> None:
    assert estimate([5.0] * 6).half_width_share == 0


def test_nothing_has_no_median() -> None:
    with pytest.raises(ValueError, match="no calls"):
        estimate([])
