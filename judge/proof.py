"""What proving a problem yields. Values only."""

from dataclasses import dataclass
from enum import StrEnum

from problems.vocabulary import Language, Verdict


class Severity(StrEnum):
    """Whether a finding keeps the problem from being published."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that an author has to change, or at least to look at. `place` names file and key."""

    severity: Severity
    place: str
    text: str
    fix: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A program and what it got. `expected` is None for a program that may get any failing verdict."""

    program: str
    language: Language
    expected: Verdict | None
    verdict: Verdict
    message: str
    ms: float

    @property
    def holds(self) -> bool:
        """Whether it is as it must be."""
        if self.expected is None:
            return self.verdict not in {Verdict.ACCEPTED, Verdict.INTERNAL_ERROR, Verdict.CANCELLED}
        return self.verdict is self.expected


@dataclass(frozen=True, slots=True)
class Proof:
    """The outcome of proving a problem at a version."""

    slug: str
    version: str
    findings: tuple[Finding, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def holds(self) -> bool:
        """Whether the problem may be published."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)


def error(place: str, text: str, fix: str) -> Finding:
    """A finding that keeps the problem from being published."""
    return Finding(Severity.ERROR, place, text, fix)


def warning(place: str, text: str, fix: str) -> Finding:
    """A finding that the author should look at."""
    return Finding(Severity.WARNING, place, text, fix)
