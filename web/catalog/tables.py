"""Bounds the work for tables in Markdown: the empty cells that they add to short rows, and the lines read.

Theory of operation. If a row has fewer cells than the header, the rule of markdown-it adds the missing cells.
So a short text with a wide header and many empty rows becomes thousands of cells, which take time. Therefore
the added cells have a budget per text. A table that exceeds the budget is shown as text, and so are all later
tables in the text.

Counting reads the lines from the table to the next blank line, although something else, such as a heading,
may end the table earlier. So a text of many such tables would be read once for each of them. Therefore the
lines also have a budget: twice those of the text. Tables that end at a blank line read each line once.
"""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import table

MOST_ADDED_CELLS = 2000  # of a text
_LEFT = "added_cells_left"
_LINES_LEFT = "lines_left"
_SIGN = "|"


def use_tables(parser: MarkdownIt) -> None:
    """Let `parser` read tables."""
    parser.block.ruler.at("table", _read_table, {"alt": ["paragraph", "reference"]})
    parser.enable("table")


def _read_table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    left = state.env.setdefault(_LEFT, MOST_ADDED_CELLS)
    state.env.setdefault(_LINES_LEFT, 2 * len(state.bMarks))
    if left < 0 or not table(state, first, end, True):
        return False
    if silent:
        return True
    state.env[_LEFT] = left - _added_cells(state, first, end)
    if state.env[_LINES_LEFT] < 0:
        state.env[_LEFT] = -1
    return bool(state.env[_LEFT] >= 0 and table(state, first, end, False))


def _added_cells(state: StateBlock, first: int, end: int) -> int:
    """Return how many cells the rule may add.

    Each line before the next blank one may lack cells of the first line.
    """
    lines = []
    for number in range(first, min(end, first + 1 + state.env[_LINES_LEFT])):
        text = state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
        if not text.strip():
            break
        lines.append(text.count(_SIGN))
    state.env[_LINES_LEFT] -= len(lines)
    return sum(max(0, lines[0] - signs) for signs in lines)
