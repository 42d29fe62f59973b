"""Highlights source text line by line, and marks ranges of characters."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe

from web.colours.languages import NAMES

PREFIX = "tok-"
# Highlighting makes a text up to thirty times as long.
MOST_CHARACTERS = 1 << 18


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one line with the same style. `look` is a CSS class, or empty for plain text."""

    text: str
    look: str


def lines_of(source: str) -> list[str]:
    """Return the lines of `source` without line ends. Empty lines at the end are omitted."""
    return _plain(source).rstrip("\n").split("\n")


def highlighted(source: str, language: str) -> list[tuple[Run, ...]]:
    """Return the highlighted lines of `source`. There are as many as `lines_of` returns."""
    return coloured(lines_of(source), language)


def coloured(lines: Sequence[str], language: str) -> list[tuple[Run, ...]]:
    """Return `lines`, which have no line ends, with highlighting.

    `language` is one of ours, or a name of `web.colours.languages`. Other languages are plain text, and so is
    everything beyond `MOST_CHARACTERS`.
    """
    return [tuple(line) for line in _lines("\n".join(lines), language)]


def colour(source: str, language: str) -> SafeString:
    """Return `source` as escaped HTML with `tok-*` classes. No element spans several lines."""
    return mark_safe("\n".join(map(to_html, _lines(_plain(source), language))))  # noqa: S308 - each is escaped


def to_html(runs: Sequence[Run], marks: Iterable[tuple[int, int]] = (), tag: str = "mark") -> SafeString:
    """Return the runs of a line as HTML.

    `marks` are ranges of characters, in order, that get the element `tag`.
    """
    pieces = []
    at = 0
    spans = list(marks)
    edges = sorted({edge for span in spans for edge in span})
    for run in runs:
        end = at + len(run.text)
        for first, last in itertools.pairwise((at, *(edge for edge in edges if at < edge < end), end)):
            marked = any(start <= first and last <= stop for start, stop in spans)
            pieces.append(_piece(run.text[first - at : last - at], run.look, tag if marked else ""))
        at = end
    return mark_safe("".join(pieces))  # noqa: S308 - each is escaped


def _lines(source: str, language: str) -> list[list[Run]]:
    lines: list[list[Run]] = [[]]
    for text, look in _scan(source, language):
        for index, part in enumerate(text.split("\n")):
            if index:
                lines.append([])
            if part:
                lines[-1].append(Run(part, look))
    return lines


def _scan(source: str, language: str) -> Iterator[tuple[str, str]]:
    grammar = NAMES.get(language.lower())
    if grammar is None:
        yield source, ""
        return
    yield from grammar.scan(source[:MOST_CHARACTERS])
    yield source[MOST_CHARACTERS:], ""


def _plain(source: str) -> str:
    """Return `source` with a single character as line end."""
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _piece(text: str, look: str, tag: str) -> str:
    html = f'<span class="{PREFIX}{look}">{escape(text)}</span>' if look else escape(text)
    return f"<{tag}>{html}</{tag}>" if tag else html
