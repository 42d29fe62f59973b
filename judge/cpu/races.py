"""Extracts data races from the findings of functional mode."""

from collections.abc import Iterable

from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind


def race_among(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """The first race that was found, if any."""
    return next((found for found in diagnostics if found.kind == DiagnosticKind.RACE), None)
