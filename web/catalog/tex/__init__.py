"""TeX to MathML: what statements use of it, without a script in the browser."""

from web.catalog.tex.parser import TexUnknown
from web.catalog.tex.render import to_mathml

__all__ = ["TexUnknown", "to_mathml"]
