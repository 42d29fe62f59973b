"""Markdown with TeX to HTML that is safe to show, whoever wrote it.

TeX is not interpreted here: `$…$` becomes `<span class="math">` and `$$…$$` `<div class="math">`,
whose text is the TeX, for KaTeX in the browser. Code blocks get Pygments classes, never styles.
"""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_TAGS = {
    *("a", "blockquote", "br", "code", "del", "div", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol"),
    *("p", "pre", "span", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_ATTRIBUTES = {
    "a": {"href", "title"},
    "code": {"class"},
    "div": {"class"},
    "pre": {"class"},
    "span": {"class"},
    "ol": {"start"},
}
_FORMATTER = HtmlFormatter(nowrap=True, classprefix="tok-")


def highlight_code(source: str, language: str) -> SafeString:
    """`source` as escaped HTML with `tok-*` classes; plain when the language is unknown.

    Knows the names of `Language` and those of Pygments.
    """
    try:
        lexer = get_lexer_by_name({"triton": "python"}.get(language, language), stripnl=False)
    except ClassNotFound:
        return mark_safe(escape(source))  # noqa: S308 - just escaped
    return mark_safe(highlight(source, lexer, _FORMATTER))  # noqa: S308 - Pygments escapes


@lru_cache(maxsize=256)
def render(text: str) -> SafeString:
    """The HTML of `text`. Raw HTML in it is shown as text; the result is sanitised all the same."""
    html = _parser().render(text)
    clean = nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https", "mailto"})
    return mark_safe(clean)  # noqa: S308 - just sanitised


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "highlight": _highlight_block}).enable(
        ["table", "strikethrough"]
    )
    parser.use(dollarmath_plugin, double_inline=True)
    # The page has the title as its h1, so the headings of a statement begin at h2.
    parser.add_render_rule("heading_open", _render_heading)
    parser.add_render_rule("heading_close", _render_heading)
    parser.add_render_rule("math_inline", _render_inline_math)
    parser.add_render_rule("math_inline_double", _render_block_math)
    parser.add_render_rule("math_block", _render_block_math)
    parser.add_render_rule("math_block_label", _render_block_math)
    return parser


def _highlight_block(source: str, language: str, _attributes: str) -> str:
    return f'<pre class="code"><code>{highlight_code(source, language)}</code></pre>'


def _render_heading(_self: object, tokens: Sequence[Token], index: int, *_: Any) -> str:
    token = tokens[index]
    level = min(int(token.tag[1]) + (0 if token.tag != "h1" else 1), 6)
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"


def _render_inline_math(_self: object, tokens: Sequence[Token], index: int, *_: Any) -> str:
    return f'<span class="math">{escape(tokens[index].content)}</span>'


def _render_block_math(_self: object, tokens: Sequence[Token], index: int, *_: Any) -> str:
    return f'<div class="math">{escape(tokens[index].content.strip())}</div>\n'
