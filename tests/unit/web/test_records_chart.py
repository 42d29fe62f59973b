"""Tests the chart of records: falling steps inside the drawing, the same as text, and the time axis."""

import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.charts.calendar import calendar, moment
from web.charts.records import Fall, Level, records

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
MOMENTS = st.datetimes(
    NOW.replace(year=2020, tzinfo=None), NOW.replace(year=2035, tzinfo=None), timezones=st.just(UTC)
)


def drawn(falls, **more) -> ET.Element:
    return ET.fromstring(records("records", falls, until=more.pop("until", NOW), title="Best score", **more))


def texts(element: ET.Element) -> str:
    return " ".join(element.itertext())


def fall(days_ago: float, time_us: float, who: str = "ada", *, mine: bool = False) -> Fall:
    return Fall(NOW - timedelta(days=days_ago), time_us, who, mine)


def test_the_line_goes_down_in_steps_and_on_to_the_present():
    chart = drawn([fall(60, 9.0), fall(30, 7.0), fall(10, 5.0)])
    [line] = [path for path in chart.iter("path") if path.get("class") == "chart-line"]
    heights = [float(height) for height in re.findall(r"[MV](?:[\d.]+ )?([\d.]+)", line.get("d"))]
    assert heights == sorted(heights)
    assert len(heights) == 3
    assert line.get("d").endswith("H412.0")


def test_it_says_in_words_what_it_shows():
    chart = drawn([fall(60, 9.0), fall(30, 7.0, "grace")], levels=[Level("Plain kernel", 12.0)])
    assert "2 records, from 9.000 µs to 7.000 µs, which grace holds." in texts(chart)
    rows = [texts(row) for row in chart.iter("tr")][1:]
    assert [row.split()[-2] for row in rows] == ["7.000", "9.000", "12.00"]
    assert "Baseline Plain kernel" in rows[2]


def test_what_is_ones_own_is_marked():
    chart = drawn([fall(60, 9.0), fall(30, 7.0, mine=True)])
    points = [point.get("class") for point in chart.iter("circle")]
    assert points == ["chart-point", "chart-point chart-mine"]


def test_a_single_record_is_drawn():
    chart = drawn([fall(0, 9.0)])
    assert len(list(chart.iter("circle"))) == 1
    assert "1 record," in texts(chart)


def test_names_from_outside_are_text():
    chart = drawn([fall(1, 9.0, "<b>x</b>")], levels=[Level("</svg><script>", 3.0)])
    assert not list(chart.iter("script"))
    assert "</svg><script>" in texts(chart)


def test_names_of_levels_do_not_cover_each_other():
    levels = [Level("CUB", 5.0), Level("cuBLAS", 5.01), Level("Plain kernel", 9.0)]
    chart = drawn([fall(10, 6.0)], levels=levels)
    names = [texts(text) for text in chart.iter("text")]
    assert "CUB" in names
    assert "cuBLAS" not in names
    assert len([line for line in chart.iter("line") if line.get("class") == "chart-level"]) == 3


@given(
    st.lists(st.tuples(MOMENTS, st.floats(0.1, 1e7)), min_size=1, max_size=12),
    st.lists(st.floats(0.1, 1e7), max_size=4),
)
def test_everything_stays_within_the_drawing(marks, levels):
    falls = [Fall(when, time_us, "ada") for when, time_us in sorted(marks)]
    chart = drawn(falls, levels=[Level("line", time_us) for time_us in levels])
    for element in chart.iter():
        for name in ("x", "x1", "x2", "cx"):
            if element.get(name) is not None:
                assert 0 <= float(element.get(name)) <= 420
        for name in ("y", "y1", "y2", "cy"):
            if element.get(name) is not None:
                assert 0 <= float(element.get(name)) <= 260


@given(MOMENTS, st.timedeltas(timedelta(0), timedelta(days=9000)))
def test_an_axis_of_time_has_few_ticks_that_read_differently(first, length):
    axis = calendar(first, first + length, start=0, end=100)
    labels = [moment(tick, axis) for tick in axis.ticks]
    assert len(labels) <= 5
    assert len(set(labels)) == len(labels)
    assert list(axis.ticks) == sorted(axis.ticks)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)


def test_an_axis_of_exactly_a_day_does_not_show_the_same_hour_twice():
    evening = datetime(2026, 3, 14, 18, tzinfo=UTC)
    axis = calendar(evening, evening + timedelta(days=1), start=0, end=100)
    assert [moment(tick, axis) for tick in axis.ticks] == ["15 Mar", "12:00"]


@pytest.mark.parametrize(
    ("length", "labels"),
    [
        (timedelta(hours=10), ["06:00", "08:00", "10:00", "12:00", "14:00"]),
        (timedelta(days=40), ["8 Feb", "15 Feb", "22 Feb", "1 Mar", "8 Mar"]),
        (timedelta(days=400), ["Apr 2025", "Jul 2025", "Oct 2025", "Jan 2026"]),
        (timedelta(days=3000), ["2018", "2020", "2022", "2024", "2026"]),
    ],
)
def test_ticks_are_whole_hours_days_months_and_years(length, labels):
    axis = calendar(NOW - length, NOW, start=0, end=100, about=6)
    assert [moment(tick, axis) for tick in axis.ticks] == labels
