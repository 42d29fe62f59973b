"""Tests the calendar of a year: every day has a square, and the figures are available as text."""

import re
from datetime import date, timedelta
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.charts.heat_map import heat_map, level

LAST = date(2026, 11, 21)
WHAT = ("submission", "submissions")


def drawn(counts: dict[date, int], last: date = LAST) -> ET.Element:
    return ET.fromstring(f"<div>{heat_map(counts, last=last, what=WHAT)}</div>")


def squares(tree: ET.Element) -> list[ET.Element]:
    return tree.findall(".//rect")


@pytest.mark.parametrize(("count", "shade"), [(0, 0), (1, 1), (2, 1), (3, 2), (6, 3), (10, 4), (999, 4)])
def test_more_is_darker(count: int, shade: int) -> None:
    assert level(count) == shade


@given(last=st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_every_day_of_the_year_has_a_place_of_its_own_inside(last: date) -> None:
    tree = drawn({last: 1}, last)
    width, height = (float(part) for part in tree.find(".//svg").attrib["viewBox"].split()[2:])
    places = {(float(square.get("x")), float(square.get("y"))) for square in squares(tree)}
    assert len(squares(tree)) == len(places)
    assert 364 <= len(places) <= 365  # the first may be a day before the first column
    assert all(0 <= x < width and 0 < y < height for x, y in places)
    (latest,) = [square for square in squares(tree) if square.find("title") is not None]
    assert float(latest.get("x")) == max(x for x, _ in places)


def test_the_figures_are_told_in_words() -> None:
    counts = {
        LAST: 1,
        LAST - timedelta(days=1): 11,
        LAST - timedelta(days=370): 5,
        LAST + timedelta(days=1): 5,
    }
    tree = drawn(counts)
    assert tree.find(".//desc").text == "12 submissions on 2 days in the year to 21 November 2026."
    titles = [title.text for title in tree.findall(".//rect/title")]
    assert titles == ["11 submissions on 20 November 2026", "1 submission on 21 November 2026"]
    rows = [[cell.text for cell in row] for row in tree.findall(".//tbody/tr")]
    assert rows[0] == ["November 2026", "12", "2"]
    assert len(rows) == 13


def test_an_empty_year_is_a_year() -> None:
    tree = drawn({})
    assert tree.find(".//desc").text == "0 submissions on 0 days in the year to 21 November 2026."
    assert {square.get("class") for square in squares(tree)} == {"heat heat-0"}


def test_months_do_not_stand_on_each_other() -> None:
    places = [float(text.get("x")) for text in drawn({}).findall(".//svg/text")]
    assert len(places) in {11, 12}
    assert all(later - earlier >= 28 for earlier, later in pairwise(places))


def test_nothing_inline() -> None:
    assert not re.search(r"\b(style|on\w+)=", heat_map({LAST: 3}, last=LAST, what=WHAT))
