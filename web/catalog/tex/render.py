"""Writes a tree as MathML. All tags and attributes are our own. The author's text is escaped.

Browsers do not break formulas. A formula in a block consists of several elements, one for each part between
`quad` or `qquad`, so that a page can put those into lines that do not fit next to each other.
"""

from collections.abc import Iterator
from functools import lru_cache
from html import escape

from web.catalog.tex.parser import Parser
from web.catalog.tex.tree import Leaf, MathNode, Tree, row, space

_LONGEST = 4000
_LONGEST_KEPT = 400
_GAPS = (space(1.0), space(2.0))  # quad and qquad


def to_mathml(tex: str, *, block: bool) -> str | None:
    """Return the `<math>` element of a formula, several for a `block`, or None if it is not supported."""
    if len(tex) > _LONGEST:
        return None
    return (_kept if len(tex) <= _LONGEST_KEPT else _converted)(tex, block=block)


def _converted(tex: str, *, block: bool) -> str | None:
    try:
        tree = Parser(tex).parse()
        if not block:
            return f"<math>{_write(tree)}</math>"
        return "".join(f'<math display="block">{_write(part)}</math>' for part in _parts(tree))
    except (ValueError, RecursionError):
        return None


# Long formulas would take much memory: each character may become an element.
_kept = lru_cache(maxsize=2048)(_converted)


def _parts(tree: Tree) -> Iterator[Tree]:
    """Yield the parts between the gaps of a formula. Gaps inside fractions and tables do not count."""
    part: list[Tree] = []
    for one in tree.parts if isinstance(tree, MathNode) and tree.tag == "mrow" else (tree,):
        if one not in _GAPS:
            part.append(one)
        elif part:
            yield row(part)
            part = []
    if part:
        yield row(part)


def _write(tree: Tree) -> str:
    if isinstance(tree, Leaf):
        return f"<{tree.tag}{tree.attributes}>{escape(tree.text)}</{tree.tag}>"
    inner = "".join(_write(part) for part in tree.parts)
    if tree.tag == "limits":
        return inner
    return f"<{tree.tag}{tree.attributes}>{inner}</{tree.tag}>"
