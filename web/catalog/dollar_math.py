"""Makes the plugin of markdown-it for formulas between dollar signs run in linear time.

Theory of operation. A block that begins with `$$` ends at the first line that ends with `$$`. The plugin
searches for that line from each line that begins with `$$`. If there is no such line, this takes quadratic
time. So this module computes, once per text, the last line of the block that would begin at each line. It
calls the plugin only for blocks that end. As in LaTeX, a formula contains no blank line.
"""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_block_dollar

_MARK = "$$"
_ENDS = "dollar_math_ends"
_CONTAINERS = "> \t"  # what may precede the text of a line
_block = math_block_dollar(allow_labels=False)


def use_dollar_math(parser: MarkdownIt) -> None:
    """Let `parser` read `$…$` and `$$…$$`."""
    parser.use(dollarmath_plugin, double_inline=True, allow_labels=False, allow_blank_lines=False)
    parser.block.ruler.at("math_block", _read_block)


def _read_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    text = state.src[state.bMarks[first] + state.tShift[first] : state.eMarks[first]].strip()
    if not text.startswith(_MARK):
        return False
    on_one_line = len(text) > len(_MARK) + 1 and text.endswith(_MARK)
    return (on_one_line or _ends(state)[first] < end) and _block(state, first, end, silent)


def _ends(state: StateBlock) -> list[int]:
    """Return for each line the last line of a block that begins there.

    If the block never ends, return a line after the end of the text.
    """
    if _ENDS not in state.env:
        lines = state.src.split("\n")
        never = end = len(lines) + 1
        ends = []
        for number in range(len(lines) - 1, -1, -1):
            ends.append(end)
            text = lines[number].strip(_CONTAINERS)
            if not text:
                end = never
            elif text.endswith(_MARK):
                end = number
        state.env[_ENDS] = ends[::-1]
    found: list[int] = state.env[_ENDS]
    return found
