"""Sentences from texts that begin with a small letter."""

import re

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*(?=[,;:.]?(?: |$))")
_NOUN = re.compile(r"a (?!(?:is|and|or|has)\b)[a-z]{2}")  # "a" as an article, not as a variable


def sentence(text: str) -> str:
    """Return `text` with a capital letter, unless it begins with code: `solve`, `a * b`, `float16`."""
    word = _WORD.match(text)
    if word is None or word[0] == "solve" or (len(word[0]) == 1 and not _NOUN.match(text)):
        return text
    return text[0].upper() + text[1:]
