"""Draws axes: grid lines, ticks with their text, and the name of the axis."""

from collections.abc import Callable

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from web.charts.scale import Scale, short

_GAP = 6.0  # between an axis and its tick labels
_LINE = 14.0  # height of a line of text

Labeller = Callable[[float], str]


def across(scale: Scale, *, top: float, bottom: float, name: str, label: Labeller = short) -> SafeString:
    """Return a horizontal axis at `bottom`, its grid up to `top`, and its name below it."""
    ticks = format_html_join(
        "",
        '<line class="chart-grid" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>'
        '<text class="chart-tick" x="{0}" y="{3}" text-anchor="middle">{4}</text>',
        ((scale.at(tick), top, bottom, bottom + _LINE + 2, label(tick)) for tick in scale.ticks),
    )
    return format_html(
        '{0}<line class="chart-axis" x1="{1}" x2="{2}" y1="{3}" y2="{3}"/>'
        '<text class="chart-name" x="{2}" y="{4}" text-anchor="end">{5}</text>',
        *(ticks, scale.start, scale.end, bottom, bottom + 2 * _LINE + 5, name),
    )


def upward(
    scale: Scale,
    *,
    left: float,
    right: float,
    name: str,
    name_y: float | None = None,
    label: Labeller = short,
) -> SafeString:
    """Return a vertical axis at `left`, its grid to `right`, and its name above it or at `name_y`."""
    ticks = format_html_join(
        "",
        '<line class="chart-grid" x1="{1}" x2="{2}" y1="{0}" y2="{0}"/>'
        '<text class="chart-tick" x="{3}" y="{0}" dy="0.32em" text-anchor="end">{4}</text>',
        ((scale.at(tick), left, right, left - _GAP, label(tick)) for tick in scale.ticks),
    )
    top = min(scale.start, scale.end) - _GAP - 6
    return format_html(
        '{}<text class="chart-name" x="0" y="{}">{}</text>', ticks, top if name_y is None else name_y, name
    )
