"""The best score of a board over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from web.charts import axes
from web.charts.calendar import calendar, moment
from web.charts.figure import HEIGHT, WIDTH, Table, figure
from web.charts.scale import Scale, logarithmic
from web.site.figures import microseconds

_LEFT, _RIGHT, _TOP, _BOTTOM = 42.0, WIDTH - 8.0, 30.0, HEIGHT - 40.0
_MARGIN = 1.06  # space beyond the first and the last value, as a factor
_NEAR_END = 330.0  # to the right of it, labels extend to the left
_LINE = 12.0
_MOST_LEVELS = 3


@dataclass(frozen=True, slots=True)
class Fall:
    """A record: when it was submitted, its score, and its user."""

    when: datetime
    time_us: float
    who: str
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """A constant time, drawn as a horizontal line: a baseline."""

    label: str
    time_us: float


def records(
    key: str, falls: Sequence[Fall], *, until: datetime, levels: Sequence[Level] = (), title: str
) -> SafeString:
    """Return the best score as a step line from the first record to `until`, on a logarithmic axis.

    `falls` is in order of time and not empty. If `levels` has too many entries to tell apart, only the
    fastest are drawn. All of them are in the table.
    """
    drawn = sorted(levels, key=lambda level: level.time_us)[:_MOST_LEVELS]
    times = [fall.time_us for fall in falls] + [level.time_us for level in drawn]
    up = logarithmic(min(times) / _MARGIN, max(times) * _MARGIN, start=_BOTTOM, end=_TOP, about=5)
    across = calendar(falls[0].when, max(until, falls[-1].when), start=_LEFT, end=_RIGHT, about=4)
    divisor, unit = (1000.0, "ms") if up.low >= 1000 else (1.0, "µs")
    drawing = format_html(
        "{}{}{}{}{}",
        axes.upward(
            up,
            left=_LEFT,
            right=_RIGHT,
            name=f"{unit} per call, lower is better",
            label=lambda tick: f"{tick / divisor:.4g}",
        ),
        axes.across(across, top=_BOTTOM, bottom=_BOTTOM, name="", label=lambda tick: moment(tick, across)),
        _levels(drawn, up),
        _line(falls, across, up),
        _points(falls, across, up),
    )
    last = falls[-1]
    return figure(
        key,
        drawing,
        title=title,
        description=f"{len(falls)} record{'s' if len(falls) > 1 else ''}, from "
        f"{microseconds(falls[0].time_us)} to {microseconds(last.time_us)}, which {last.who} holds.",
        table=Table(
            ("Since", "Who", "Score"),
            [
                *((_day(fall.when), fall.who, microseconds(fall.time_us)) for fall in reversed(falls)),
                *(("Baseline", level.label, microseconds(level.time_us)) for level in levels),
            ],
        ),
    )


def _line(falls: Sequence[Fall], across: Scale, up: Scale) -> SafeString:
    first, *rest = falls
    steps = "".join(f" H{across.at(fall.when.timestamp())} V{up.at(fall.time_us)}" for fall in rest)
    start = f"M{across.at(first.when.timestamp())} {up.at(first.time_us)}"
    return format_html('<path class="chart-line" d="{}{} H{}"/>', start, steps, across.end)


def _points(falls: Sequence[Fall], across: Scale, up: Scale) -> SafeString:
    """Return a point for each record. The latest one has a label if there is space."""
    points = format_html_join(
        "",
        '<circle class="chart-point{}" cx="{}" cy="{}" r="4"/>',
        (
            (" chart-mine" if fall.mine else "", across.at(fall.when.timestamp()), up.at(fall.time_us))
            for fall in falls
        ),
    )
    last = falls[-1]
    x, y = across.at(last.when.timestamp()), up.at(last.time_us)
    anchor = "end" if x > _NEAR_END else "start"
    return format_html(
        '{}<text class="chart-label{}" x="{}" y="{}" text-anchor="{}">{}</text>',
        points,
        " chart-mine" if last.mine else "",
        *(min(x, _RIGHT), y - 9 if y - 9 > _TOP else y + 18, anchor, microseconds(last.time_us)),
    )


def _levels(levels: Sequence[Level], up: Scale) -> SafeString:
    """Return horizontal lines with their names above.

    A name that would cover another is in the table only.
    """
    shown: list[tuple[float, str]] = []
    taken: list[float] = []
    for level in levels:
        y = up.at(level.time_us)
        free = all(abs(y - other) > _LINE for other in taken)
        taken.append(y)
        shown.append((y, level.label if free else ""))
    return format_html_join(
        "",
        '<line class="chart-level" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>'
        '<text class="chart-tick" x="{1}" y="{3}" text-anchor="end">{4}</text>',
        ((_LEFT, _RIGHT, y, round(y - 4, 1), label) for y, label in shown),
    )


def _day(when: datetime) -> str:
    utc = when.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y, %H:%M}"
