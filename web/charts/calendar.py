"""An axis of time, with ticks at whole days, months and years and their labels."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from web.charts.scale import Scale

_HOUR_STEPS = (1, 2, 6, 12)
_DAY_STEPS = (1, 2, 7, 14)
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120)
_LEAST = timedelta(hours=6)  # the minimum length of an axis
_FEW = 2


def calendar(first: datetime, last: datetime, *, start: float, end: float, about: int = 5) -> Scale:
    """Return an axis from `first` to `last`, in seconds since 1970.

    It has at most `about` ticks, whose labels differ.
    """
    first = min(first, last - _LEAST)
    low, high = first.timestamp(), last.timestamp()
    for ticks in _candidates(first.astimezone(UTC), last.astimezone(UTC)):
        axis = Scale(low, high, start, end, tuple(tick for tick in ticks if low <= tick <= high))
        labels = {moment(tick, axis) for tick in axis.ticks}
        if len(labels) == len(axis.ticks) <= about:
            return axis
    return Scale(low, high, start, end)


def moment(tick: float, scale: Scale) -> str:
    """Return a short label for a tick, depending on the length of `scale`.

    Examples are `14:00`, `3 Mar`, `Mar 2026` and `2026`.
    """
    when, span = datetime.fromtimestamp(tick, UTC), timedelta(seconds=scale.high - scale.low)
    if span <= timedelta(days=_FEW):
        return f"{when:%H:%M}" if when.hour else f"{when.day} {when:%b}"
    if span <= timedelta(days=100):
        return f"{when.day} {when:%b}"
    return f"{when:%b %Y}" if span <= timedelta(days=5 * 365) else f"{when:%Y}"


def _candidates(first: datetime, last: datetime) -> Iterator[list[float]]:
    """Yield lists of ticks, from the narrowest to the widest distance."""
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    if last - first <= timedelta(days=_FEW):
        for hours in _HOUR_STEPS:
            yield _steps(midnight, last, timedelta(hours=hours))
    if last - first <= timedelta(days=100):
        for days in _DAY_STEPS:
            # Weeks start on the same days regardless of the start of the axis.
            back = timedelta(days=midnight.date().toordinal() % days)
            yield _steps(midnight - back, last, timedelta(days=days))
    for months in _MONTH_STEPS:
        yield [_month(count).timestamp() for count in range(_index(first, months), _index(last) + 1, months)]


def _steps(begin: datetime, last: datetime, step: timedelta) -> list[float]:
    count = (last - begin) // step
    return [(begin + number * step).timestamp() for number in range(count + 1)]


def _index(when: datetime, multiple: int = 1) -> int:
    """Return the month of `when`, counted from year 0 and rounded down to a multiple of `multiple`."""
    index = when.year * 12 + when.month - 1
    return index - index % multiple


def _month(index: int) -> datetime:
    return datetime(index // 12, index % 12 + 1, 1, tzinfo=UTC)
