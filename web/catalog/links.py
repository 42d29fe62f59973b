"""Bounds the size of links in Markdown that references repeat.

A reference such as `[a]: https://…` is written once and used by each `[a]`. So a short text with a long
address and thousands of uses would become a page of megabytes. Therefore the addresses and titles of all
links in a text share a budget that grows with the length of the text. Links beyond the budget have no
address.
"""

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

_PER_CHARACTER = 8  # characters of links per character of a text; an address may escape one character as six
_FREE_CHARACTERS = 20_000


def use_bounded_links(parser: MarkdownIt) -> None:
    """Let `parser` enforce the budget. Call this after all rules that create links."""
    parser.core.ruler.push("bounded_links", _bound)


def _bound(state: StateCore) -> None:
    left = _PER_CHARACTER * len(state.src) + _FREE_CHARACTERS
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "link_open":
                left -= sum(len(str(value)) for value in child.attrs.values())
                if left < 0:
                    child.attrs = {}
