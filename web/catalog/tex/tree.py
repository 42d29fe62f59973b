"""A formula as the elements of MathML."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Leaf:
    """One element without parts: `tag` is that of MathML, `attributes` are fixed words of ours."""

    tag: str
    text: str
    attributes: str = ""


@dataclass(frozen=True, slots=True)
class MathNode:
    """An element with parts, in the order of MathML. `limits`: scripts of it go above and below."""

    tag: str
    parts: tuple["Tree", ...]
    attributes: str = ""
    limits: bool = False


Tree = Leaf | MathNode


def row(parts: list[Tree]) -> Tree:
    """`parts` as one."""
    return parts[0] if len(parts) == 1 else MathNode("mrow", tuple(parts))


def operator(text: str, attributes: str = "") -> Leaf:
    """An operator, fence or separator."""
    return Leaf("mo", text, attributes)


def space(em: float) -> Leaf:
    """A space of that width."""
    return Leaf("mspace", "", f' width="{em}em"')
