"""Parses Python sources, formulas and calls, one at a time.

CPython 3.11 counts the depth of a syntax tree for all threads together. If garbage collection runs Python
code while two threads parse, one of them fails with SystemError. So all parsers of one process take turns.
"""

import ast
import threading

_PARSING = threading.RLock()


def parse(source: str | bytes) -> ast.Module:
    """Return the syntax tree of a module. Raises what `ast.parse` raises."""
    with _PARSING:
        return ast.parse(source)


def parse_expression(text: str) -> ast.expr:
    """Return the syntax tree of an expression. Raises what `ast.parse` raises."""
    with _PARSING:
        return ast.parse(text, mode="eval").body
