"""Texts that come from programs or authors, for a terminal."""

from judge.evidence.diagnostics import clean


def printable(text: str) -> str:
    """`text` without what a terminal would take for commands; line breaks and tabs stay."""
    return clean(text, len(text))
