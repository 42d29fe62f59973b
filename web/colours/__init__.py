"""Source text in colours, for pages: linear time and bounded output, whatever somebody wrote."""

from web.colours.source import Run, colour, coloured, highlighted, lines_of, to_html

__all__ = ["Run", "colour", "coloured", "highlighted", "lines_of", "to_html"]
