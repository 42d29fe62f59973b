"""The roofline of a GPU, with kernels as points below it.

Source: S. Williams, A. Waterman, D. Patterson, Roofline, CACM 52(4), 2009.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from web.charts import axes
from web.charts.figure import HEIGHT, WIDTH, Table, figure
from web.charts.scale import Scale, logarithmic, short

_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, WIDTH - 10.0, 26.0, HEIGHT - 40.0
_NAME, _LINE = 70.0, 14.0  # size of a name
_ROOM = 4.0  # space around the content, as a factor


@dataclass(frozen=True, slots=True)
class Roof:
    """The measured peak rates of a GPU: bytes and operations per second."""

    bytes_per_s: float
    operations_per_s: float

    @property
    def ridge(self) -> float:
        """Return the operations per byte above which arithmetic is the bound."""
        return self.operations_per_s / self.bytes_per_s

    def at(self, intensity: float) -> float:
        """Return the attainable operations per second at `intensity` operations per byte."""
        return min(self.operations_per_s, self.bytes_per_s * intensity)


@dataclass(frozen=True, slots=True)
class Point:
    """A kernel on a case: its operations per byte, above 0, and its achieved bytes per second."""

    name: str
    intensity: float
    bytes_per_s: float

    @property
    def operations_per_s(self) -> float:
        """Return its operations per second."""
        return self.intensity * self.bytes_per_s


def roofline(key: str, roof: Roof, points: Sequence[Point], *, title: str) -> SafeString:
    """Return the roof with names for its two bounds, and a numbered point for each case.

    There must be at least one point.
    """
    across, up = _scales(roof, points)
    drawing = format_html(
        "{}{}{}{}",
        axes.across(across, top=_TOP, bottom=_BOTTOM, name="operations per byte"),
        axes.upward(up, left=_LEFT, right=_RIGHT, name="operations per second"),
        _roof(roof, across, up),
        _points(points, across, up),
    )
    return figure(
        key,
        drawing,
        title=title,
        description=_describe(roof, points),
        table=Table(
            ("Case", "Operations per byte", "Reached", "Possible", "Bound by"),
            [
                (
                    point.name,
                    short(point.intensity),
                    f"{short(point.operations_per_s)}op/s",
                    f"{short(roof.at(point.intensity))}op/s",
                    _bound(roof, point),
                )
                for point in points
            ],
        ),
    )


def _scales(roof: Roof, points: Sequence[Point]) -> tuple[Scale, Scale]:
    intensities = [roof.ridge, *(point.intensity for point in points)]
    low, high = min(intensities) / _ROOM, max(intensities) * _ROOM
    rates = [roof.at(low), *(point.operations_per_s for point in points)]
    return (
        logarithmic(low, high, start=_LEFT, end=_RIGHT),
        logarithmic(min(rates) / 1.5, roof.operations_per_s * 2.5, start=_BOTTOM, end=_TOP),
    )


def _roof(roof: Roof, across: Scale, up: Scale) -> SafeString:
    ridge, flat = across.at(roof.ridge), up.at(roof.operations_per_s)
    foot = up.at(roof.at(across.low))
    slope = math.degrees(math.atan2(flat - foot, ridge - _LEFT))
    return format_html(
        '<path class="chart-line" d="M{} {}L{} {}L{} {}"/>'
        '<text class="chart-label" x="{}" y="{}" text-anchor="end">{}op/s</text>'
        '<text class="chart-label" transform="translate({} {}) rotate({})" y="-7" text-anchor="middle">'
        "{}B/s</text>",
        *(_LEFT, foot, ridge, flat, _RIGHT, flat),
        *(_RIGHT, flat - 7, short(roof.operations_per_s)),
        *(round((_LEFT + ridge) / 2, 1), round((foot + flat) / 2, 1), round(slope, 1)),
        short(roof.bytes_per_s),
    )


def _points(points: Sequence[Point], across: Scale, up: Scale) -> SafeString:
    """Return points with their names, on the side with more space.

    A name moves down if it would cover another.
    """
    placed = sorted(
        ((up.at(point.operations_per_s), across.at(point.intensity), point) for point in points),
        key=lambda place: place[:2],
    )
    taken: list[tuple[float, float]] = []
    drawn = []
    for y, x, point in placed:
        left = x > _RIGHT - _NAME
        name_x, name_y = x - 9 if left else x + 9, y + 6
        while any(abs(name_x - near) < _NAME and abs(name_y - level) < _LINE for near, level in taken):
            name_y += _LINE
        taken.append((name_x, name_y))
        drawn.append((x, y, name_x, round(name_y, 1), "end" if left else "start", point.name))
    return format_html_join(
        "",
        '<circle class="chart-point chart-mine" cx="{}" cy="{}" r="5"/>'
        '<text class="chart-label chart-mine" x="{}" y="{}" dy="0.32em" text-anchor="{}">{}</text>',
        drawn,
    )


def _bound(roof: Roof, point: Point) -> str:
    return "memory" if point.intensity < roof.ridge else "arithmetic"


def _describe(roof: Roof, points: Sequence[Point]) -> str:
    roofs = f"Memory gives {short(roof.bytes_per_s)}B/s, arithmetic {short(roof.operations_per_s)}op/s."
    reached = [
        f"{point.name}: {100 * point.operations_per_s / roof.at(point.intensity):.0f} % of what "
        f"{_bound(roof, point)} allows."
        for point in points
    ]
    return " ".join([roofs, *reached])
