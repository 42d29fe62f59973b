"""Links in Markdown, with a bound on what references repeat.

A reference such as `[a]: https://…` is written once and used by each `[a]`. So a long address and thousands
of uses make a page of megabytes. Here, the addresses and titles of all links of a text have a budget that
grows with its length. Links beyond the budget lead nowhere.
"""

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

_PER_CHARACTER = 8  # of a text: an address may write a character as six
_FREE_CHARACTERS = 20_000


def use_bounded_links(parser: MarkdownIt) -> None:
    """Let `parser` keep the budget. Call it after all rules that make links."""
    parser.core.ruler.push("bounded_links", _bound)


def _bound(state: StateCore) -> None:
    left = _PER_CHARACTER * len(state.src) + _FREE_CHARACTERS
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "link_open":
                left -= sum(len(str(value)) for value in child.attrs.values())
                if left < 0:
                    child.attrs = {}
