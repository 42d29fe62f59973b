"""Selects notes on subtractions that cancel: only those about a subtraction of the program itself.

The compiler gives code of CUDA's math functions, such as `powf`, the line that calls them. These functions
subtract on purpose, and they are accurate.
"""

import re
from collections.abc import Iterable

from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind

# Not "->", "--" or the exponent of a constant.
_SUBTRACTION = re.compile(r"(?<!-)(?<![0-9.][eE])-(?![->])")
_ENDS = re.compile(r"[;{}]")
_MAX_LINES = 20  # of a statement, before and after its line


def without_library_cancellations(found: Iterable[Diagnostic], code: str) -> tuple[Diagnostic, ...]:
    """Return `found` without notes on cancellation in statements that do not subtract.

    `code` is the program, in which comments and literals are blank.
    """
    lines = code.split("\n")
    return tuple(
        entry for entry in found if entry.kind != DiagnosticKind.CANCELLATION or _subtracts(lines, entry.line)
    )


def _subtracts(lines: list[str], line: int | None) -> bool:
    """Return whether a statement on `line` subtracts; true if the line is unknown."""
    if line is None or line > len(lines):
        return True
    place = line - 1
    before = _ENDS.split("\n".join(lines[max(0, place - _MAX_LINES) : place]))[-1]
    after = _ENDS.split("\n".join(lines[line : line + _MAX_LINES]))[0]
    if lines[place].rstrip().endswith((";", "{", "}")):
        after = ""
    return bool(_SUBTRACTION.search("\n".join((before, lines[place], after))))
