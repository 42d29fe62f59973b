"""Converts TeX to MathML without a script in the browser. It supports the commands that statements use."""

from web.catalog.tex.parser import TexUnknown
from web.catalog.tex.render import to_mathml

__all__ = ["TexUnknown", "to_mathml"]
