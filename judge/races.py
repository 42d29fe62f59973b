"""What functional mode says of data races."""

from collections.abc import Iterable

from judge.report import Diagnostic

_KIND = "race"


def race_among(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """The first race that was found, if any."""
    return next((found for found in diagnostics if found.kind == _KIND), None)
