"""Folded parts of a text in Markdown, in linear time.

A spoiler begins with a line `:::spoiler`, optionally with a title. It ends with a line `:::`, or at the end
of the text, the list or the quotation that contains it. A line `:::` in a code block also ends it. Spoilers
can't be nested. With `fold_code` in the environment of a rendering, the code blocks of a text are folded too.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

_OPENS = ":::spoiler"
_ENDS = ":::"
_TITLE_CHARACTERS = 80
_INSIDE = "inside_spoiler"


def use_spoilers(parser: MarkdownIt) -> None:
    """Let `parser` read spoilers, and fold code blocks if the environment says so."""
    parser.block.ruler.before(
        "fence", "spoiler", _read_block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    parser.add_render_rule("spoiler_open", _render_open)
    parser.add_render_rule("spoiler_close", _render_close)
    parser.add_render_rule("fence", _render_fence)
    parser.add_render_rule("code_block", _render_code_block)


def _read_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    text = _line(state, first)
    if not text.startswith(_OPENS) or state.is_code_block(first) or state.env.get(_INSIDE):
        return False
    if silent:
        return True
    last = first + 1
    while last < end and _line(state, last) != _ENDS and not _leaves(state, last):
        last += 1
    _add_block(state, first, last, text.removeprefix(_OPENS).strip()[:_TITLE_CHARACTERS])
    state.line = last + 1 if last < end and _line(state, last) == _ENDS else last
    return True


def _leaves(state: StateBlock, number: int) -> bool:
    """Return whether a line ends the list in which the spoiler is."""
    return state.sCount[number] < state.blkIndent and not state.isEmpty(number)


def _add_block(state: StateBlock, first: int, last: int, title: str) -> None:
    opening = state.push("spoiler_open", "details", 1)
    opening.block, opening.map = True, [first, last]
    opening.content = state.md.renderInline(title or "Spoiler", state.env)
    parent, lines = state.parentType, state.lineMax
    state.parentType, state.lineMax, state.env[_INSIDE] = "spoiler", last, True
    state.md.block.tokenize(state, first + 1, last)
    state.parentType, state.lineMax, state.env[_INSIDE] = parent, lines, False
    state.push("spoiler_close", "details", -1).block = True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].strip()


def _render_open(_self: object, tokens: Sequence[Token], index: int, *_: Any) -> str:
    return f"<details><summary>{tokens[index].content}</summary>\n"


def _render_close(*_: Any) -> str:
    return "</details>\n"


def _render_fence(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    return _folded(RendererHTML.fence(self, tokens, index, options, env), env)


def _render_code_block(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    return _folded(RendererHTML.code_block(self, tokens, index, options, env), env)


def _folded(html: str, env: Mapping[str, Any]) -> str:
    if not env.get("fold_code"):
        return html
    return f"<details><summary>Code</summary>\n{html}</details>\n"
