"""Extracts data races and hazards between streams from the findings of functional mode."""

from collections.abc import Collection, Iterable, Mapping

from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind

RACES = (DiagnosticKind.RACE, DiagnosticKind.STREAM_HAZARD)

# The prefix of the message.
_NAMES: Mapping[str, str] = {DiagnosticKind.RACE: "data ", DiagnosticKind.STREAM_HAZARD: ""}


def race_among(diagnostics: Iterable[Diagnostic], kinds: Collection[str] = RACES) -> Diagnostic | None:
    """Return the first race of one of these `kinds` that was found, or None."""
    return next((found for found in diagnostics if found.kind in kinds), None)


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
