"""Source as coloured text, line by line, in which ranges of characters can be marked."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, _TokenType

from problems.vocabulary import Language

_LEXERS = {Language.CUDA.value: "cuda", Language.TRITON.value: "python"}
_PREFIX = "tok-"


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one line that look alike. `look` is a CSS class, empty for plain text."""

    text: str
    look: str


def lines_of(source: str) -> list[str]:
    """The lines of `source` without their ends, as the lexers count them."""
    return source.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")


def highlighted(source: str, language: str) -> list[tuple[Run, ...]]:
    """The lines of `source`, coloured. As many as `lines_of` gives.

    `language` is one of ours, or a name that Pygments knows.
    """
    lexer = get_lexer_by_name(_LEXERS.get(language, language), stripnl=False)
    lines: list[list[Run]] = [[]]
    for kind, text in lexer.get_tokens("\n".join(lines_of(source))):
        look = _look(kind)
        for index, part in enumerate(text.split("\n")):
            if index:
                lines.append([])
            if part:
                lines[-1].append(Run(part, look))
    return [tuple(line) for line in lines[:-1]]  # the lexer ends the text with a line break


def to_html(runs: Sequence[Run], marks: Iterable[tuple[int, int]] = (), tag: str = "mark") -> SafeString:
    """The runs of a line as HTML. `marks` are ranges of characters, in order, that get the element `tag`."""
    edges = sorted({edge for mark in marks for edge in mark})
    spans = list(marks)
    pieces = []
    at = 0
    for run in runs:
        cuts = [at, *(edge for edge in edges if at < edge < at + len(run.text)), at + len(run.text)]
        for first, last in itertools.pairwise(cuts):
            marked = any(start <= first and last <= end for start, end in spans)
            pieces.append((_piece(run.text[first - at : last - at], run.look, tag if marked else ""),))
        at += len(run.text)
    return format_html_join("", "{}", pieces)


def _piece(text: str, look: str, tag: str) -> SafeString:
    html = (
        format_html('<span class="{}{}">{}</span>', _PREFIX, look, text) if look else format_html("{}", text)
    )
    return format_html("<{0}>{1}</{0}>", tag, html) if tag else html


def _look(kind: _TokenType) -> str:
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    return STANDARD_TYPES.get(kind, "")
