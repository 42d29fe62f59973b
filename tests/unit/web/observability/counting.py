"""Measures the change of a metric."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from prometheus_client import generate_latest


@dataclass(slots=True)
class Change:
    """The change, after the block has ended."""

    change: float = 0.0


@contextmanager
def counted(series: str) -> Iterator[Change]:
    """Yield the change of `warpcourt_` plus `series` within the block, in this process."""
    found, before = Change(), _value(series)
    yield found
    found.change = _value(series) - before


def _value(series: str) -> float:
    text = generate_latest().decode()
    found = re.search(rf"^warpcourt_{re.escape(series)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0
