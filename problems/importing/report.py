"""The results of an import, for each problem of a set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ImportOutcome(StrEnum):
    """The outcome of one problem."""

    IMPORTED = "imported"
    WARNED = "imported with warnings"
    REFUSED = "refused"


class Refused(Exception):
    """Raised if a problem cannot be imported. The message is the reason, for the importing user."""


@dataclass(frozen=True, slots=True)
class ImportedProblem:
    """One problem. `place` is its folder in the set; `reason` says why it was refused.

    `sizes` are suggested sizes for timed cases that are too small, by the case's name.
    """

    place: str
    slug: str
    title: str
    outcome: ImportOutcome
    warnings: tuple[str, ...] = ()
    reason: str = ""
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @classmethod
    def imported(
        cls,
        place: str,
        slug: str,
        title: str,
        warnings: tuple[str, ...],
        sizes: Mapping[str, Mapping[str, int]] | None = None,
    ) -> "ImportedProblem":
        """Return an imported problem."""
        outcome = ImportOutcome.WARNED if warnings else ImportOutcome.IMPORTED
        return cls(place, slug, title, outcome, warnings, sizes=sizes or {})

    @classmethod
    def refused(cls, place: str, slug: str, reason: str) -> "ImportedProblem":
        """Return a refused problem."""
        return cls(place, slug, slug, ImportOutcome.REFUSED, reason=reason)

    @classmethod
    def of_json(cls, entry: Mapping[str, Any]) -> "ImportedProblem":
        """Return the problem from the output of `as_json`. Further keys are ignored."""
        return cls(
            entry["place"],
            entry["slug"],
            entry["title"],
            ImportOutcome(entry["outcome"]),
            tuple(entry["warnings"]),
            entry["reason"],
            entry["sizes"],
        )

    def as_json(self) -> dict[str, object]:
        """Return JSON values for the API and for programs."""
        return {
            "place": self.place,
            "slug": self.slug,
            "title": self.title,
            "outcome": self.outcome.value,
            "warnings": list(self.warnings),
            "reason": self.reason,
            "sizes": {case: dict(sizes) for case, sizes in self.sizes.items()},
        }

    def as_text(self) -> str:
        """Return text for a terminal."""
        end = f" as {self.slug}" if not self.reason else ""
        told = [self.reason] if self.reason else [*self.warnings]
        return "\n".join([f"{self.place}: {self.outcome}{end}", *(f"    {text}" for text in told)])


@dataclass(frozen=True, slots=True)
class Imported:
    """One problem with the files of its package by their paths; no files if it was refused."""

    entry: ImportedProblem
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """All problems of one import, in the order of their places."""

    format: str
    entries: tuple[ImportedProblem, ...]

    def count(self, outcome: ImportOutcome) -> int:
        """Return the number of problems with that outcome."""
        return sum(entry.outcome is outcome for entry in self.entries)

    def as_json(self) -> dict[str, object]:
        """Return JSON values for the API and for programs."""
        return {"format": self.format, "problems": [entry.as_json() for entry in self.entries]}

    def summary(self) -> str:
        """Return text for a terminal: counts, then the refused problems by their reasons."""
        counts = ", ".join(f"{self.count(outcome)} {outcome}" for outcome in ImportOutcome)
        reasons: dict[str, list[str]] = {}
        for entry in self.entries:
            if entry.reason:
                reasons.setdefault(entry.reason, []).append(entry.place)
        refused = [f"{reason}\n    {', '.join(places)}" for reason, places in reasons.items()]
        return "\n".join([f"{len(self.entries)} problems: {counts}", *refused])
