"""What a check says."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a finding matters. What is `missing` or refused keeps a host from judging."""

    OK = "ok"
    WEAK = "weak"
    MISSING = "missing"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, what was found, and how to mend it."""

    check: str
    level: Level
    found: str
    fix: str = ""

    @property
    def stops(self) -> bool:
        """Whether this host must not judge before it is mended."""
        return self.level in (Level.MISSING, Level.REFUSED)


Findings = Iterator[Finding]


def graded(value: float, least: float, good: float) -> Level:
    """MISSING below `least`, WEAK below `good`."""
    if value < least:
        return Level.MISSING
    return Level.OK if value >= good else Level.WEAK


def ok_if(good: bool, otherwise: Level = Level.MISSING) -> Level:
    """OK, or how bad it is."""
    return Level.OK if good else otherwise


def dotted(version: tuple[int, ...]) -> str:
    """A version for people."""
    return ".".join(map(str, version)) or "not found"
