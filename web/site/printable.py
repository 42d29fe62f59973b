"""Makes texts of programs or authors safe for a terminal."""

from judge.evidence.diagnostics import clean


def printable(text: str) -> str:
    """Return `text` without control sequences of terminals; line breaks and tabs stay."""
    return clean(text, len(text))
