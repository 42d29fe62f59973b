"""The distribution of scores, with a mark at one of them."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from web.charts import axes
from web.charts.figure import HEIGHT, WIDTH, Table, figure
from web.charts.scale import Scale, linear, logarithmic

_LEFT, _RIGHT, _TOP, _BOTTOM = 34.0, WIDTH - 10.0, 46.0, HEIGHT - 40.0
_NAME_Y = 12.0
_LEAST_BINS, _MOST_BINS = 6, 18
_GAP = 1.5  # between bars
_MARGIN = 1.04  # space beyond the first and the last bin, as a factor
_EDGE = 46.0  # space for half of the mark's text


@dataclass(frozen=True, slots=True)
class Bin:
    """The number of times from `low_us` up to `high_us`."""

    low_us: float
    high_us: float
    count: int


def histogram(
    key: str, times_us: Sequence[float], *, mine_us: float, mine: str, title: str, who: str
) -> SafeString:
    """Return the times of others as bars on a logarithmic axis, with a mark called `mine` at the user's own.

    Shorter is better, so better is to the left. `who` is the counted noun, such as `people`. There must be at
    least one time. The caller decides how many users there must be for privacy.
    """
    found = bins(times_us, mine_us)
    across = logarithmic(found[0].low_us, found[-1].high_us, start=_LEFT, end=_RIGHT)
    up = linear(0, max(entry.count for entry in found), start=_BOTTOM, end=_TOP, about=4)
    divisor, unit = (1000.0, "ms") if across.low >= 1000 else (1.0, "µs")
    drawing = format_html(
        "{}{}{}{}",
        axes.upward(_whole(up), left=_LEFT, right=_RIGHT, name=who, name_y=_NAME_Y),
        _bars(found, across, up, mine_us),
        axes.across(
            across,
            top=_BOTTOM,
            bottom=_BOTTOM,
            name=f"{unit} per call, shorter is better",
            label=lambda tick: f"{tick / divisor:.3g}",
        ),
        _mark(across.at(mine_us), mine),
    )
    slower = sum(time_us > mine_us for time_us in times_us)
    return figure(
        key,
        drawing,
        title=title,
        description=f"{len(times_us)} {who}, {slower} slower. Marked: {mine}.",
        table=Table(
            ("Time", who.capitalize()),
            [
                (_range(entry, divisor, unit, mine if _holds(entry, mine_us) else ""), str(entry.count))
                for entry in found
            ],
        ),
    )


def bins(times_us: Sequence[float], mine_us: float) -> tuple[Bin, ...]:
    """Return bins of equal width on a logarithmic axis that contain every time and the user's own."""
    count = min(max(2 * math.ceil(math.sqrt(len(times_us))), _LEAST_BINS), _MOST_BINS)
    low = min(*times_us, mine_us) / _MARGIN
    step = (max(*times_us, mine_us) * _MARGIN / low) ** (1 / count)
    edges = [low * step**index for index in range(count + 1)]
    counts = [0] * count
    for time_us in times_us:
        counts[min(bisect_right(edges, time_us) - 1, count - 1)] += 1
    return tuple(
        Bin(first, last, held) for first, last, held in zip(edges[:-1], edges[1:], counts, strict=True)
    )


def _bars(found: Sequence[Bin], across: Scale, up: Scale, mine_us: float) -> SafeString:
    return format_html_join(
        "",
        '<rect class="chart-bar{}" x="{}" y="{}" width="{}" height="{}"/>',
        (
            (
                " chart-mine" if _holds(entry, mine_us) else "",
                across.at(entry.low_us) + _GAP / 2,
                up.at(entry.count),
                round(across.at(entry.high_us) - across.at(entry.low_us) - _GAP, 1),
                round(_BOTTOM - up.at(entry.count), 1),
            )
            for entry in found
            if entry.count
        ),
    )


def _mark(x: float, mine: str) -> SafeString:
    """Return a line down to the axis with a label above it, within the bounds of the drawing."""
    return format_html(
        '<line class="chart-leader" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>'
        '<text class="chart-label chart-mine" x="{3}" y="{4}" text-anchor="middle">{5}</text>',
        *(x, _TOP - 8, _BOTTOM, min(max(x, _LEFT + _EDGE), _RIGHT - _EDGE), _TOP - 13, mine),
    )


def _holds(entry: Bin, time_us: float) -> bool:
    return entry.low_us <= time_us < entry.high_us


def _range(entry: Bin, divisor: float, unit: str, mine: str) -> str:
    text = f"{entry.low_us / divisor:.3g} to {entry.high_us / divisor:.3g} {unit}"
    return f"{text} ({mine})" if mine else text


def _whole(up: Scale) -> Scale:
    """Return `up` with ticks at whole numbers only, because it counts users."""
    ticks = tuple(tick for tick in up.ticks if tick and tick == int(tick))
    return Scale(up.low, up.high, up.start, up.end, ticks)
