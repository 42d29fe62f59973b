"""The result of a check."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """The severity of a finding. A host with `missing` or `refused` findings must not judge."""

    OK = "ok"
    WEAK = "weak"
    MISSING = "missing"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check examined, what it found, and how to fix it."""

    check: str
    level: Level
    found: str
    fix: str = ""

    @property
    def stops(self) -> bool:
        """Return whether this host must not judge before this is fixed."""
        return self.level in (Level.MISSING, Level.REFUSED)


Findings = Iterator[Finding]


def graded(value: float, least: float, good: float) -> Level:
    """Return MISSING below `least`, WEAK below `good`, and OK otherwise."""
    if value < least:
        return Level.MISSING
    return Level.OK if value >= good else Level.WEAK


def ok_if(good: bool, otherwise: Level = Level.MISSING) -> Level:
    """Return OK if `good`, and `otherwise` if not."""
    return Level.OK if good else otherwise


def dotted(version: tuple[int, ...]) -> str:
    """Return a version as text, with dots."""
    return ".".join(map(str, version)) or "not found"
