"""Small drawings for texts: cells, boxes, arrows and labels, as SVG that follows the theme.

A drawing is 360 units wide, so that its text stays readable on a phone. It has no ids and no styles: classes
decide the colours. Its description is the text alternative.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH = 360
CELL = 28
_HEAD = 6  # length of an arrow's head


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure. `caption` is shown below it, and `description` is read out instead of it."""

    height: int
    caption: str
    description: str
    marks: tuple[SafeString, ...]

    @property
    def svg(self) -> SafeString:
        """Return the drawing as an image with its text alternative."""
        return format_html(
            '<svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
            WIDTH,
            self.height,
            self.description,
            format_html_join("", "{}", ((mark,) for mark in self.marks)),
        )


def text(x: float, y: float, words: str, *, at: str = "middle", tone: str = "") -> SafeString:
    """Return a label. `at` is the part of it that is at `x`: `start`, `middle` or `end`."""
    return format_html(
        '<text class="label {}" x="{}" y="{}" text-anchor="{}">{}</text>', tone, _n(x), _n(y), at, words
    )


def box(x: float, y: float, width: float, height: float, words: str = "", tone: str = "") -> SafeString:
    """Return a rectangle with words at its top left corner."""
    label = text(x + 8, y + 17, words, at="start", tone="strong") if words else ""
    return format_html(
        '<rect class="box {}" x="{}" y="{}" width="{}" height="{}" rx="4"/>{}',
        tone,
        _n(x),
        _n(y),
        _n(width),
        _n(height),
        label,
    )


def cells(x: float, y: float, words: str, tone: str = "", *, width: float = CELL) -> SafeString:
    """Return a row of cells, one for each word. `-` is an empty cell, and `!word` is a faulty one."""
    return format_html_join(
        "",
        "{}",
        ((_cell(x + place * width, y, word, tone, width),) for place, word in enumerate(words.split())),
    )


def arrow(x1: float, y1: float, x2: float, y2: float, tone: str = "") -> SafeString:
    """Return an arrow from the first point to the second."""
    length = hypot(x2 - x1, y2 - y1) or 1.0
    dx, dy = (x2 - x1) / length * _HEAD, (y2 - y1) / length * _HEAD
    left = (x2 - dx - dy / 2, y2 - dy + dx / 2)
    right = (x2 - dx + dy / 2, y2 - dy - dx / 2)
    path = (
        f"M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}M{_n(left[0])} {_n(left[1])}L{_n(x2)} {_n(y2)}"
        f"L{_n(right[0])} {_n(right[1])}"
    )
    return format_html('<path class="arrow {}" d="{}"/>', tone, path)


def arrows(tone: str = "", *ends: tuple[float, float, float, float]) -> SafeString:
    """Return several arrows."""
    return format_html_join("", "{}", ((arrow(*end, tone),) for end in ends))


def line(x1: float, y1: float, x2: float, y2: float, tone: str = "") -> SafeString:
    """Return a line without heads."""
    return format_html('<path class="arrow {}" d="M{} {}L{} {}"/>', tone, _n(x1), _n(y1), _n(x2), _n(y2))


def curve(points: Iterable[tuple[float, float]], tone: str = "") -> SafeString:
    """Return a line through the points."""
    path = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
    return format_html('<path class="curve {}" d="M{}"/>', tone, path)


def _cell(x: float, y: float, word: str, tone: str, width: float) -> SafeString:
    bad = len(word) > 1 and word.startswith("!")
    shown = "" if word == "-" else word.removeprefix("!").replace("-", " ") if len(word) > 1 else word
    return format_html(
        '<rect class="cell {}" x="{}" y="{}" width="{}" height="{}"/>{}',
        "bad" if bad else tone,
        _n(x),
        _n(y),
        _n(width),
        CELL,
        text(x + width / 2, y + CELL / 2 + 4, shown, tone="small") if shown else "",
    )


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
