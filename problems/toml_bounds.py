"""Checks that TOML has a reasonable size, before a parser reads it.

TOML parsers take quadratic time in some quantities: the parts of a dotted key, the keys below a deep table,
the elements of an array, the lines. A few hundred KiB of such text can keep a parser busy for an hour, and
web processes parse texts of authors. So this module first counts the characters that bound these quantities.
"""

import re

MAX_TOML_KIB = 128  # as of any text of a package
MAX_LINES = 4000
MAX_COMMAS = 4000
MAX_DOTS_OF_LINE = 60  # in a line that is not a comment, without dots in numbers; real keys have a few

# A number in an array or at the end of a line. No part of a longer key matches, not even one of digits.
_NUMBER = re.compile(r"(?<![\w.\"'+-])[+-]?\d+\.\d+(?:[eE][+-]?\d+)?(?=[ \t]*(?:[,\]}#\r]|$))")
_USUAL = "a description has a few hundred lines at most"


def toml_excess(text: str) -> str:
    """Return why `text` is too large to parse, and the fix; empty if it may be parsed."""
    if len(text) > MAX_TOML_KIB * 1024:
        return f"has more than {MAX_TOML_KIB} KiB; {_USUAL}"
    # Not `splitlines`, because form feeds and similar characters do not end lines in TOML.
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        return f"has more than {MAX_LINES} lines; {_USUAL}"
    if text.count(",") > MAX_COMMAS:
        return f"has more than {MAX_COMMAS} commas; write shorter arrays"
    for number, line in enumerate(lines, start=1):
        if line.count(".") <= MAX_DOTS_OF_LINE or line.lstrip(" \t").startswith("#"):
            continue
        if _NUMBER.sub("", line).count(".") > MAX_DOTS_OF_LINE:
            return f"has more than {MAX_DOTS_OF_LINE} dots in line {number}; write shorter keys"
    return ""
