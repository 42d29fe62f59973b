"""Tests axes: positions of values, and readable ticks."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from web.charts.scale import linear, logarithmic, short

POSITIVE = st.floats(1e-6, 1e15)


def test_an_even_axis_begins_and_ends_on_ticks():
    scale = linear(0, 93, start=0, end=100)
    assert (scale.low, scale.high, scale.ticks) == (0, 100, (0, 20, 40, 60, 80, 100))
    assert [scale.at(value) for value in (0, 25, 100)] == [0, 25, 100]


def test_an_even_axis_may_keep_its_ends():
    scale = linear(3, 97, start=0, end=94, rounded=False)
    assert (scale.low, scale.high, scale.ticks) == (3, 97, (20, 40, 60, 80))


def test_ticks_are_not_off_by_rounding():
    assert linear(0, 0.5, start=0, end=1).ticks == (0, 0.1, 0.2, 0.3, 0.4, 0.5)


def test_a_vertical_axis_goes_up():
    scale = linear(0, 10, start=200, end=0)
    assert (scale.at(0), scale.at(10), scale.at(2.5)) == (200, 0, 150)


def test_equal_factors_are_equal_lengths():
    scale = logarithmic(1, 1000, start=0, end=300)
    assert [scale.at(value) for value in (1, 10, 100, 1000)] == [0, 100, 200, 300]
    assert scale.ticks == (1, 10, 100, 1000)


def test_a_short_logarithmic_axis_has_ticks_between_powers():
    assert logarithmic(1.5, 60, start=0, end=1).ticks == (2, 5, 10, 20, 50)


def test_a_very_short_one_is_divided_evenly():
    assert logarithmic(11, 14, start=0, end=1).ticks == (11, 11.5, 12, 12.5, 13, 13.5, 14)


def test_what_lies_beyond_is_drawn_at_the_end():
    scale = logarithmic(1, 10, start=0, end=10)
    assert (scale.at(0.001), scale.at(0), scale.at(99)) == (0, 0, 10)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (0, "0"), (20, "20"), (1500, "1.5 k"), (2e12, "2 T"), (3e15, "3 P"), (0.0001, "0.0001")],
)
def test_ticks_are_short(value, text):
    assert short(value) == text


@given(POSITIVE, POSITIVE)
@example(1e-06, 1.0000000000000002e-06)
@example(1e6, 1e6 + 1)
@example(1e9, 1e9)
def test_every_axis_has_ticks_within_it(one, other):
    low, high = sorted((one, other))
    for scale in (linear(low, high, start=0, end=100), logarithmic(low, high, start=0, end=100)):
        assert scale.low < scale.high
        assert scale.ticks == tuple(sorted(set(scale.ticks)))
        assert 2 <= len(scale.ticks) <= 20
        assert all(0 <= scale.at(tick) <= 100 for tick in scale.ticks)
