"""Extracts data races and hazards between streams from the findings of functional mode."""

from collections.abc import Iterable, Mapping

from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind

# The prefix of the message.
_NAMES: Mapping[str, str] = {DiagnosticKind.RACE: "data ", DiagnosticKind.STREAM_HAZARD: ""}


def race_among(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """Return the first race between threads or streams that was found, or None."""
    return next((found for found in diagnostics if found.kind in _NAMES), None)


def stream_hazard_among(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """Return the first hazard between streams that was found, or None."""
    return next((found for found in diagnostics if found.kind == DiagnosticKind.STREAM_HAZARD), None)


def has_data_race(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether a race between threads was found."""
    return any(found.kind == DiagnosticKind.RACE for found in diagnostics)


def broken_barrier(race: Diagnostic, diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """Return the finding about a barrier in the kernel of `race` that not all threads reach, or None.

    Such a barrier causes the race.
    """
    return next(
        (
            found
            for found in diagnostics
            if found.kind == DiagnosticKind.DIVERGENT_BARRIER and found.kernel == race.kernel
        ),
        None,
    )


def race_text(race: Diagnostic) -> str:
    """Return a sentence that describes `race` and its location."""
    where = "" if race.says_line else f" See line {race.line}."
    return f"There is a {_NAMES[race.kind]}{race.message}{where}"
