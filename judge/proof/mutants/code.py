"""Lexical analysis of CUDA C++: code and comments, device functions, ends of expressions.

A full parser is not needed, because a mutant that does not compile does not count.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Every opening matches, closed or not, so that the text is scanned only once.
_NOT_CODE = re.compile(
    r"""
      //[^\n]* | /\*(?:[^*]++|\*(?!/))*+(?:\*/)?+     # comments; what is not closed reaches to the end
    | R"(?P<mark>[^()\\\s]{0,16}+)\((?:[^)]++|\)(?!(?P=mark)"))*+(?:\)(?P=mark)")?+    # raw strings
    | "(?:\\.|[^"\\\n])*+"?+ | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*+'?+  # strings and characters
    | ^[ \t]*\#(?:[^\n\\]|\\\n|\\.)*                  # preprocessor lines
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_DECLARED = re.compile(r"(?<!\w)([A-Za-z_]\w*+)\s*+\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)\s*+(?:const\s*+)?$")
_DEVICE = re.compile(r"__(?:global|device)__")
_LONGEST_EXPRESSION = 4000  # bounds the search after an unclosed bracket
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class DeviceFunction:
    """A function that runs on the device: its declaration begins at `start`, its body is `body:end`."""

    name: str
    start: int
    body: int
    end: int


def masked(source: str) -> str:
    """Return `source` with everything but code replaced by blanks, so that offsets stay valid."""
    return _NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)


def device_functions(code: str) -> Iterator[DeviceFunction]:
    """Yield the functions of masked `code` that run on the device, including methods."""
    end = 0
    for found in _DEVICE.finditer(code):
        opening, semicolon = code.find("{", found.end()), code.find(";", found.end())
        if found.start() < end or opening < 0 or -1 < semicolon < opening:
            continue  # inside the last function, or a declaration, or a variable
        end = closing_of(code, opening)
        head = code[found.end() : opening]
        name = _DECLARED.search(head)
        yield DeviceFunction(name[1] if name else "", found.start(), opening + 1, end - 1)


def closing_of(code: str, opening: int, limit: int | None = None) -> int:
    """Return the position after the bracket that closes the one at `opening`.

    `limit` or the end if none does.
    """
    depth = 0
    limit = len(code) if limit is None else min(limit, len(code))
    for at in range(opening, limit):
        if code[at] in _OPENING:
            depth += 1
        elif code[at] in _CLOSING:
            depth -= 1
            if depth == 0:
                return at + 1
    return limit


def expression_end(code: str, start: int, ends: tuple[str, ...]) -> int:
    """Return the end of the expression at `start`: the first of `ends`, or a bracket that it did not open."""
    at, limit = start, min(len(code), start + _LONGEST_EXPRESSION)
    while at < limit:
        if code[at] in _OPENING:
            at = closing_of(code, at, limit)
        elif code[at] in _CLOSING or code.startswith(ends, at):
            return at
        else:
            at += 1
    return at


def trimmed(code: str, start: int, end: int) -> tuple[int, int]:
    """Return `start` and `end` without the blanks at both ends."""
    while start < end and code[start].isspace():
        start += 1
    while start < end and code[end - 1].isspace():
        end -= 1
    return start, end
