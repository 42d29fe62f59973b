"""Terms of GPU programming: their explanations, and the links from the first use of each in a text.

`terms.toml` has the terms. `web.learn` shows them on one page.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.urls import reverse
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from web.site.concepts import Lesson, lesson_at

_FILE = Path(__file__).with_name("terms.toml")


@dataclass(frozen=True, slots=True)
class Term:
    """A term with its explanation in Markdown. `forms` are the words that link to it."""

    name: str
    text: str
    forms: tuple[str, ...] = ()
    read: str = ""

    @property
    def slug(self) -> str:
        """Return the id of its entry on the page."""
        return slugify(self.name)

    @property
    def summary(self) -> str:
        """Return the first sentence as plain text."""
        sentence, dot, _ = self.text.partition(". ")
        return re.sub(r"[*`]", "", sentence + dot.strip())

    @property
    def url(self) -> str:
        """Return the address of its entry."""
        return f"{reverse('terms')}#{self.slug}"

    @property
    def lesson(self) -> Lesson | None:
        """Return a link to further reading, None if no page explains more."""
        return lesson_at(self.read) if self.read else None


@cache
def terms() -> tuple[Term, ...]:
    """Return all terms in the order of their names."""
    rows = tomllib.loads(_FILE.read_text(encoding="utf-8"))["terms"]
    return tuple(Term(row["name"], row["text"], tuple(row["forms"]), row.get("read", "")) for row in rows)


def use_terms(parser: MarkdownIt) -> None:
    """Let `parser` link the first use of each term in texts whose `env` has a true value for `terms`.

    Words in headings, code, formulas and links are not linked, and neither are the terms in `unlinked`.
    """
    parser.core.ruler.push("terms", _link_terms)


def _link_terms(state: StateCore) -> None:
    if not state.env.get("terms"):
        return
    linked = set(state.env.get("unlinked", ()))
    in_heading = False
    for token in state.tokens:
        if token.type in {"heading_open", "heading_close"}:
            in_heading = token.nesting == 1
        elif token.type == "inline" and not in_heading:
            token.children = list(_with_links(token.children or [], linked))


def _with_links(tokens: list[Token], linked: set[str]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in {"link_open", "link_close"} else 0
        if token.type == "text" and depth == 0:
            yield from _split(token, linked)
        else:
            yield token


def _split(token: Token, linked: set[str]) -> Iterator[Token]:
    """Yield `token` as texts and links, and add the names of the linked terms to `linked`."""
    start = 0
    for found in _pattern().finditer(token.content):
        term = _by_form()[found[0]]
        if term.name in linked:
            continue
        linked.add(term.name)
        yield token.copy(content=token.content[start : found.start()])
        yield Token("link_open", "a", 1, attrs={"href": term.url, "title": term.summary, "class": "term"})
        yield token.copy(content=found[0])
        yield Token("link_close", "a", -1)
        start = found.end()
    yield token.copy(content=token.content[start:])


@cache
def _by_form() -> Mapping[str, Term]:
    """Return the term of each form. A form of small letters may also begin a sentence."""
    return {
        written: term
        for term in terms()
        for form in term.forms
        for written in ({form, form[0].upper() + form[1:]} if form.islower() else {form})
    }


@cache
def _pattern() -> re.Pattern[str]:
    """Return the pattern of all forms as whole words.

    Of several forms that match at a position, the longest wins.
    """
    forms = sorted(_by_form(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, forms))})(?![\w-])")
