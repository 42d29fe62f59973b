"""Bounds the number of empty cells that tables in Markdown add to short rows.

Theory of operation. If a row has fewer cells than the header, the rule of markdown-it adds the missing cells.
So a short text with a wide header and many empty rows becomes thousands of cells, which take time. Therefore
the added cells have a budget per text. A table that exceeds the budget is shown as text, and so are all later
tables in the text.
"""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import table

MOST_ADDED_CELLS = 2000  # of a text
_LEFT = "added_cells_left"
_SIGN = "|"


def use_tables(parser: MarkdownIt) -> None:
    """Let `parser` read tables."""
    parser.block.ruler.at("table", _read_table, {"alt": ["paragraph", "reference"]})
    parser.enable("table")


def _read_table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    left = state.env.setdefault(_LEFT, MOST_ADDED_CELLS)
    if left < 0 or not table(state, first, end, True):
        return False
    if silent:
        return True
    state.env[_LEFT] = left - _added_cells(state, first, end)
    return bool(state.env[_LEFT] >= 0 and table(state, first, end, False))


def _added_cells(state: StateBlock, first: int, end: int) -> int:
    """Return how many cells the rule may add.

    Each line before the next blank one may lack cells of the first line.
    """
    lines = []
    for number in range(first, end):
        text = state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
        if not text.strip():
            break
        lines.append(text.count(_SIGN))
    return sum(max(0, lines[0] - signs) for signs in lines)
