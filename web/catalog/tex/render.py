"""Writes a tree as MathML. All tags and attributes are our own. The author's text is escaped."""

from functools import lru_cache
from html import escape

from web.catalog.tex.parser import Parser
from web.catalog.tex.tree import Leaf, Tree

_LONGEST = 4000


@lru_cache(maxsize=2048)
def to_mathml(tex: str, *, block: bool) -> str | None:
    """Return the `<math>` element of a formula, or None if the formula is not supported."""
    if len(tex) > _LONGEST:
        return None
    try:
        inner = _write(Parser(tex).parse())
    except (ValueError, RecursionError):
        return None
    display = ' display="block"' if block else ""
    return f"<math{display}>{inner}</math>"


def _write(tree: Tree) -> str:
    if isinstance(tree, Leaf):
        return f"<{tree.tag}{tree.attributes}>{escape(tree.text)}</{tree.tag}>"
    inner = "".join(_write(part) for part in tree.parts)
    if tree.tag == "limits":
        return inner
    return f"<{tree.tag}{tree.attributes}>{inner}</{tree.tag}>"
