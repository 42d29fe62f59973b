"""PTX text → tokens.

A token is the text itself; its first character tells its kind. Opcodes with their modifiers are one token
(`ld.global.nc.v4.f32`), directives and types start with a dot and are one component each (`.reg`, `.b32`),
debug sections are swallowed whole.

Source: PTX ISA 9.0, section 4.1 to 4.5 (source format, comments, statements, identifiers, constants).
"""

import re
from bisect import bisect_right
from typing import NamedTuple

from .errors import PtxSyntaxError

LONGEST_TOKEN_CHARACTERS = 8192  # a mangled C++ name can be long; a number cannot

_TOKEN = re.compile(
    r"""(?:\s|//[^\n]*+|/\*.*?\*/)*+          # blanks, comments; possessive: nothing to backtrack
    (?:
      (\.section\b[^{]*+\{[^}]*+\}            # DWARF: of no use here
      |\.[A-Za-z_]\w*(?:::\w+)*               # directive, type, state space
      |[A-Za-z_$%][\w$]*(?:(?:\.|::)\w+)*     # identifier or opcode with its modifiers
      |0[fF][0-9A-Fa-f]{8}\b|0[dD][0-9A-Fa-f]{16}\b
      |0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?
      |\d+\.\d*(?:[eE][+-]?\d+)?|\d+U?
      |"[^"\n]*"
      |[{}()\[\];,:@!|+\-<>=~*]
      )
      |(.)|\Z)""",
    re.VERBOSE | re.DOTALL,
)


class Tokens(NamedTuple):
    """The tokens of one file, with where each starts."""

    texts: list[str]
    starts: list[int]
    newlines: list[int]

    def line(self, index: int) -> int:
        """The PTX line, from 1, of the token at `index`; past the end, the last line."""
        start = self.starts[min(index, len(self.starts) - 1)] if self.starts else 0
        return bisect_right(self.newlines, start) + 1


def tokenize(text: str) -> Tokens:
    """Split a PTX file into tokens.

    Raises:
        PtxSyntaxError: for a character or a token that PTX does not have.
    """
    texts: list[str] = []
    starts: list[int] = []
    newlines = [match.start() for match in re.finditer("\n", text)]
    for match in _TOKEN.finditer(text):
        token = match[1]
        if token is None:
            if match[2] is None:
                break
            line = bisect_right(newlines, match.start(2)) + 1
            raise PtxSyntaxError(f"unexpected character {match[2]!r}", line)
        if len(token) > LONGEST_TOKEN_CHARACTERS and token[0] not in '."':
            line = bisect_right(newlines, match.start(1)) + 1
            raise PtxSyntaxError("this name or number is too long", line)
        if not token.startswith(".section"):
            texts.append(token)
            starts.append(match.start(1))
    return Tokens(texts, starts, newlines)
