"""Tests charts: they draw the given values, repeat them as text, and escape all texts."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.charts.histogram import bins, histogram
from web.charts.roofline import Point, Roof, roofline

TIMES = st.floats(1e-2, 1e8)
ROOF = Roof(bytes_per_s=4e12, operations_per_s=5e13)
ATTACK = '"><script>alert(1)</script>'


def spread(times_us: list[float], mine_us: float, mine: str = "you") -> ET.Element:
    chart = histogram("spread", times_us, mine_us=mine_us, mine=mine, title="Best scores", who="people")
    return ET.fromstring(chart)


def drawn(element: ET.Element, name: str) -> list[ET.Element]:
    return [
        found
        for found in element.iter(name.partition(".")[0])
        if name.partition(".")[2] in found.get("class", "")
    ]


def texts(element: ET.Element) -> str:
    return " ".join(element.itertext())


@given(st.lists(TIMES, min_size=1, max_size=60), TIMES)
def test_every_time_is_in_one_bin_and_so_is_ones_own(times_us, mine_us):
    found = bins(times_us, mine_us)
    assert sum(entry.count for entry in found) == len(times_us)
    assert found[0].low_us < min(*times_us, mine_us)
    assert found[-1].high_us > max(*times_us, mine_us)


@given(st.lists(TIMES, min_size=1, max_size=60), TIMES)
def test_bars_stay_within_the_drawing(times_us, mine_us):
    for bar in drawn(spread(times_us, mine_us), "rect.chart-bar"):
        x, y, width, height = (float(bar.get(name)) for name in ("x", "y", "width", "height"))
        assert x >= 0
        assert x + width <= 420
        assert y >= 0
        assert y + height <= 260
        assert width > 0
        assert height >= 0


def test_a_histogram_says_in_words_what_it_shows():
    chart = spread([10, 11, 12, 20, 30], 11.5)
    assert "5 people, 3 slower. Marked: you." in texts(chart)
    assert len([row for row in chart.iter("th") if "(you)" in texts(row)]) == 1
    counts = [int(texts(cell)) for cell in chart.iter("td")]
    assert sum(counts) == 5


def test_long_times_are_in_milliseconds():
    assert "ms per call" in texts(spread([1500, 2500], 2000))
    assert "µs per call" in texts(spread([15, 25], 20))


def test_the_mark_is_named_within_the_drawing():
    for mine_us in (1, 1000):
        (label,) = drawn(spread([1, 10, 1000], mine_us), "text.chart-mine")
        assert 80 <= float(label.get("x")) <= 364


def test_a_roof_bends_where_arithmetic_takes_over():
    assert ROOF.ridge == 12.5
    assert (ROOF.at(1), ROOF.at(12.5), ROOF.at(1000)) == (4e12, 5e13, 5e13)


def test_a_roofline_says_in_words_what_it_shows():
    points = [Point("timed 1", 1 / 12, 3e12), Point("timed 2", 100, 2.5e11)]
    chart = ET.fromstring(roofline("roofline", ROOF, points, title="Roofline"))
    assert "timed 1: 75 % of what memory allows. timed 2: 50 % of what arithmetic allows." in texts(chart)
    assert [texts(cell) for cell in chart.iter("td")][-4:] == ["100", "25 Top/s", "50 Top/s", "arithmetic"]
    assert len(drawn(chart, "circle.chart-point")) == 2


def test_a_better_kernel_is_higher_and_names_do_not_lie_on_each_other():
    points = [Point("slow", 1 / 12, 1e12), Point("fast", 1 / 12, 3.9e12), Point("alike", 1 / 12, 3.8e12)]
    chart = ET.fromstring(roofline("roofline", ROOF, points, title="Roofline"))
    fast, alike, slow = (float(point.get("cy")) for point in drawn(chart, "circle.chart-point"))
    assert fast < alike < slow
    levels = [float(name.get("y")) for name in drawn(chart, "text.chart-mine")]
    assert levels[1] - levels[0] >= 14


@pytest.mark.parametrize(
    "chart",
    [
        histogram("spread", [1, 2], mine_us=1, mine=ATTACK, title=ATTACK, who=ATTACK),
        roofline("roofline", ROOF, [Point(ATTACK, 1, 1e12)], title=ATTACK),
    ],
)
def test_nothing_gets_in_and_nothing_inline_is_needed(chart):
    assert "<script" not in chart
    assert not re.search(r"\sstyle=|\son\w+=|fill=|stroke=", chart)
    root = ET.fromstring(chart)
    svg = root.find("svg")
    names = svg.get("aria-labelledby").split()
    assert [svg.find("title").get("id"), svg.find("desc").get("id")] == names
