"""The arithmetic of axes: maps values to positions in a drawing, and chooses readable ticks."""

import math
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 5.0, 10.0)
_WIDENED = 1.25  # in each direction, for an axis that would have no length
_SHORTEST = 1e-6  # length relative to the values; below this, floats can hardly distinguish ticks
_FEW = 3  # minimum of ticks at 1, 2 and 5 times powers of ten; otherwise the axis is divided evenly
_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis: `low` is drawn at `start` and `high` at `end`, in units of the drawing.

    On a vertical axis `start` is larger than `end`, because y coordinates grow downwards. `ticks` are values.
    """

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...] = ()
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Return the position of `value`, rounded to a tenth of a unit.

        Values beyond an end are drawn at that end.
        """
        inside = min(max(value, self.low), self.high)
        if self.logarithmic:
            part = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            part = (inside - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)


def linear(
    low: float, high: float, *, start: float, end: float, about: int = 5, rounded: bool = True
) -> Scale:
    """Return a linear axis with roughly `about` ticks. A `rounded` axis starts and ends on a tick."""
    if not _has_length(low, high):
        half = max(0.5, abs(low) * _SHORTEST)
        low, high = (low - half, low + half) if low else (0.0, 1.0)
    step = _step((high - low) / about)
    if rounded:
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return Scale(low, high, start, end, _multiples(step, low, high))


def logarithmic(low: float, high: float, *, start: float, end: float, about: int = 6) -> Scale:
    """Return a logarithmic axis. `low` must be above 0."""
    if not _has_length(low, high):
        low, high = low / _WIDENED, low * _WIDENED
    return Scale(low, high, start, end, _powers(low, high, about), logarithmic=True)


def short(value: float) -> str:
    """Return a short label for a tick: `0.5`, `20`, `1.5 k`, `2 T`."""
    for factor, prefix in _PREFIXES:
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}"
    return f"{value:.3g}"


def _has_length(low: float, high: float) -> bool:
    return high - low > _SHORTEST * max(abs(low), abs(high))


def _step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in _STEPS if step * power >= least * (1 - 1e-9))


def _multiples(step: float, low: float, high: float) -> tuple[float, ...]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    decimals = max(0, 1 - math.floor(math.log10(step)))  # makes 3 * 0.1 equal 0.3
    return tuple(round(count * step, decimals) for count in range(first, last + 1))


def _powers(low: float, high: float, about: int) -> tuple[float, ...]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    inside = [
        [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]
        for digits in ((1, 2, 5), (1,))
    ]
    fine, coarse = ([tick for tick in ticks if low <= tick <= high] for ticks in inside)
    if len(fine) < _FEW:
        return _multiples(_step((high - low) / about), low, high)
    if len(fine) <= about:
        return tuple(fine)
    return tuple(coarse[:: max(1, math.ceil(len(coarse) / about))])
