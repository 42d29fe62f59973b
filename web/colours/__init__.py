"""Syntax highlighting for pages, in linear time and with bounded output for any input."""

from web.colours.source import Run, colour, coloured, highlighted, lines_of, to_html

__all__ = ["Run", "colour", "coloured", "highlighted", "lines_of", "to_html"]
