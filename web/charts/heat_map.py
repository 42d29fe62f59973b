"""A year as a calendar of squares, with a column for each week and a shade for each day's count."""

from collections.abc import Mapping
from datetime import date, timedelta

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from web.charts.figure import Table, figure

_STEP = 14  # a square with its gap
_SIDE = 11
_TOP = 18  # for the names of the months
_WEEKS = 53
_LEVELS = (1, 3, 6, 10)  # minimum counts of the four shades
_DAYS = 365


def heat_map(counts: Mapping[date, int], *, last: date, what: tuple[str, str]) -> SafeString:
    """Return the chart of the year that ends with `last`. `what` is the counted noun, in singular and plural.

    On a narrow page, the drawing is right-aligned and cut off on the left, so that the latest weeks are
    visible.
    """
    first = last - timedelta(days=_DAYS - 1)
    shown = {day: count for day, count in counts.items() if first <= day <= last and count}
    begin = last - timedelta(days=last.weekday(), weeks=_WEEKS - 1)  # a Monday
    days = (begin + timedelta(days=number) for number in range((last - begin).days + 1))
    drawing = format_html(
        "{}{}", _months(begin, last), _squares([d for d in days if d >= first], begin, shown, what)
    )
    total, active = sum(shown.values()), len(shown)
    days_word = "day" if active == 1 else "days"
    return figure(
        "heat-map",
        drawing,
        title="Activity",
        description=f"{total} {what[total != 1]} on {active} {days_word} in the year to {_say(last)}.",
        table=Table(("Month", what[1].capitalize(), "Active days"), _by_month(first, last, shown)),
        width=_WEEKS * _STEP,
        height=_TOP + 7 * _STEP,
    )


def level(count: int) -> int:
    """Return the shade of a day, from 0 (nothing) to 4."""
    return sum(count >= least for least in _LEVELS)


def _squares(days: list[date], begin: date, counts: Mapping[date, int], what: tuple[str, str]) -> SafeString:
    return format_html_join(
        "",
        '<rect class="heat heat-{}" x="{}" y="{}" width="{}" height="{}" rx="2">{}</rect>',
        (
            (
                level(counts.get(day, 0)),
                (day - begin).days // 7 * _STEP,
                _TOP + day.weekday() * _STEP,
                _SIDE,
                _SIDE,
                _label(day, counts[day], what) if day in counts else "",
            )
            for day in days
        ),
    )


def _label(day: date, count: int, what: tuple[str, str]) -> SafeString:
    return format_html("<title>{} {} on {}</title>", count, what[count != 1], _say(day))


def _months(begin: date, last: date) -> SafeString:
    """Return the names of the months, each above the first week that starts in it."""
    weeks = [begin + timedelta(weeks=number) for number in range((last - begin).days // 7 + 1)]
    named = [
        (number * _STEP, f"{week:%b}")
        for number, week in enumerate(weeks)
        if week.day <= 7 and number < len(weeks) - 1
    ]
    return format_html_join("", '<text class="chart-tick" x="{}" y="10">{}</text>', named)


def _by_month(first: date, last: date, counts: Mapping[date, int]) -> list[tuple[str, str, str]]:
    """Return the rows of the table, newest month first, because readers need that most often."""
    months: list[tuple[str, str, str]] = []
    month = last.replace(day=1)
    while month >= first.replace(day=1):
        found = [count for day, count in counts.items() if (day.year, day.month) == (month.year, month.month)]
        months.append((f"{month:%B %Y}", str(sum(found)), str(len(found))))
        month = (month - timedelta(days=1)).replace(day=1)
    return months


def _say(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
