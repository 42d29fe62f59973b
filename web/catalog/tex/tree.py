"""A formula as a tree of MathML elements."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Leaf:
    """An element without children. `tag` is the MathML tag. `attributes` are fixed strings of ours."""

    tag: str
    text: str
    attributes: str = ""


@dataclass(frozen=True, slots=True)
class MathNode:
    """An element with children, in the order of MathML. `limits`: its scripts go above and below."""

    tag: str
    parts: tuple["Tree", ...]
    attributes: str = ""
    limits: bool = False


Tree = Leaf | MathNode


def row(parts: list[Tree]) -> Tree:
    """Return `parts` as one element."""
    return parts[0] if len(parts) == 1 else MathNode("mrow", tuple(parts))


def operator(text: str, attributes: str = "") -> Leaf:
    """Return an operator, fence or separator."""
    return Leaf("mo", text, attributes)


def space(em: float) -> Leaf:
    """Return a space of `em` width."""
    return Leaf("mspace", "", f' width="{em}em"')
