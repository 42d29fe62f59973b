"""Renders Markdown with TeX to HTML that is safe to show, regardless of its author.

TeX between `$…$` or `$$…$$` becomes MathML. A formula that `web.catalog.tex` does not support is shown as its
source, in a `<span class="math">` or `<div class="math">`. Code blocks get classes for highlighting, never
styles. Only images that the caller passes are shown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from web.catalog.dollar_math import use_dollar_math
from web.catalog.links import use_bounded_links
from web.catalog.spoilers import use_spoilers
from web.catalog.tables import use_tables
from web.catalog.terms import use_terms
from web.catalog.tex import to_mathml
from web.colours import colour

_TAGS = {
    *(
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "details",
        "div",
        "em",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
    ),
    *(
        "p",
        "pre",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ),
}
_ATTRIBUTES = {
    "a": {"class", "href", "title"},  # only the links of terms have a class
    "code": {"class"},
    "div": {"class"},
    "pre": {"class"},
    "span": {"class"},
    "ol": {"start"},
}
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_IMAGE = {"src", "alt", "width", "height", "loading"}
_FORMULA = re.compile(r'<(span|div) class="math">(.*?)</\1>', re.DOTALL)
_ANCHORED = re.compile(r'(<(h[2-6]) id="([^"]+)">)(.*?)</\2>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that a text may show: its name in the text, and its address."""

    name: str
    url: str
    width: int
    height: int


@lru_cache(maxsize=256)
def render(
    text: str,
    *,
    anchors: str = "",
    pictures: tuple[Picture, ...] = (),
    fold_code: bool = False,
    terms: bool = False,
    unlinked: frozenset[str] = frozenset(),
) -> SafeString:
    """Return `text` as HTML. Raw HTML in it is shown as text. The result is sanitised in any case.

    With `anchors`, headings get ids with this prefix, and links to themselves. Only the images in `pictures`
    are shown; others are omitted. `fold_code` hides each code block until the reader opens it. `terms` links
    the first use of each term of GPU programming to its explanation, except of those that `unlinked` names.
    """
    return render_once(
        text, anchors=anchors, pictures=pictures, fold_code=fold_code, terms=terms, unlinked=unlinked
    )


def render_once(
    text: str,
    *,
    anchors: str = "",
    pictures: tuple[Picture, ...] = (),
    fold_code: bool = False,
    terms: bool = False,
    unlinked: frozenset[str] = frozenset(),
) -> SafeString:
    """Return what `render` returns, without a place in the cache. For texts that differ between users."""
    known = {picture.name: picture for picture in pictures}
    env = {
        "anchors": anchors,
        "pictures": known,
        "ids": {},
        "fold_code": fold_code,
        "terms": terms,
        "unlinked": unlinked,
    }
    html = _parser().render(text, env)
    clean = nh3.clean(
        html,
        tags=_TAGS | ({"img"} if known else set()),
        attributes={**_ATTRIBUTES, "img": _IMAGE, **{tag: {"id"} for tag in _HEADINGS}},
        url_schemes={"http", "https", "mailto"},
    )
    # Anchors and formulas are added after sanitising. They consist of our own tags and escaped text. To keep
    # them, the sanitiser would have to allow the same tags to authors.
    clean = _ANCHORED.sub(_with_anchor, _FORMULA.sub(_with_formula, clean))
    return mark_safe(clean)  # noqa: S308 - just sanitised


def _with_formula(found: re.Match[str]) -> str:
    block = found[1] == "div"
    mathml = to_mathml(unescape(found[2]), block=block)
    if mathml is None:
        return found[0]
    return f'<div class="formula">{mathml}</div>' if block else mathml


def _with_anchor(found: re.Match[str]) -> str:
    link = f'<a class="anchor" href="#{found[3]}" aria-label="Link to this section">#</a>'
    return f"{found[1]}{found[4]}{link}</{found[2]}>"


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "highlight": _highlight_block}).enable("strikethrough")
    use_dollar_math(parser)
    use_spoilers(parser)
    use_tables(parser)
    use_terms(parser)
    use_bounded_links(parser)
    # The page has the title as its h1, so the headings of a statement start at h2.
    parser.add_render_rule("heading_open", _render_heading)
    parser.add_render_rule("heading_close", _render_heading)
    parser.add_render_rule("image", _render_image)
    parser.add_render_rule("math_inline", _render_inline_math)
    parser.add_render_rule("math_inline_double", _render_block_math)
    parser.add_render_rule("math_block", _render_block_math)
    return parser


def _highlight_block(source: str, language: str, _attributes: str) -> str:
    return f'<pre class="code"><code>{colour(source, language)}</code></pre>'


def _render_heading(
    _self: object, tokens: Sequence[Token], index: int, _options: object, env: Mapping[str, Any]
) -> str:
    token = tokens[index]
    level = min(int(token.tag[1]) + (0 if token.tag != "h1" else 1), 6)
    if token.nesting != 1:
        return f"</h{level}>\n"
    if not env["anchors"]:
        return f"<h{level}>"
    words = re.sub(r"[^a-z0-9]+", "-", tokens[index + 1].content.lower()).strip("-")[:60]
    plain = name = f"{env['anchors']}{words or 'section'}"
    while name in env["ids"]:
        env["ids"][plain] += 1
        name = f"{plain}-again" + (f"-{env['ids'][plain]}" if env["ids"][plain] > 1 else "")
    env["ids"][name] = 0  # number of repetitions of this id
    return f'<h{level} id="{name}">'


def _render_image(
    _self: object, tokens: Sequence[Token], index: int, _options: object, env: Mapping[str, Any]
) -> str:
    token = tokens[index]
    picture = env["pictures"].get(str(token.attrs.get("src", "")).removeprefix("./"))
    if picture is None:
        return escape(token.content)
    size = f'width="{picture.width}" height="{picture.height}"'
    return f'<img src="{escape(picture.url)}" alt="{escape(token.content)}" {size} loading="lazy">'


def _render_inline_math(_self: object, tokens: Sequence[Token], index: int, *_: Any) -> str:
    return f'<span class="math">{escape(tokens[index].content)}</span>'


def _render_block_math(_self: object, tokens: Sequence[Token], index: int, *_: Any) -> str:
    return f'<div class="math">{escape(tokens[index].content.strip())}</div>\n'
