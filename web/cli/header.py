"""The header comment with which a file names its problem: `// warpcourt: problem=softmax language=cuda`.

`warpcourt pull` writes it as the first line. It may be on any of the first lines, after `//` or `#`,
and may also set `gpu`. A value with spaces must be quoted. The site ignores the comment.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = {"cuda": ".cu", "python": ".torch.py", "triton": ".py"}  # the first matching suffix counts
_COMMENTS = {"cuda": "//", "python": "#", "triton": "#"}
_KNOWN = ("problem", "language", "gpu")
_LINES = 10
_HEADER = re.compile(r"^\s*(?://|#)\s*warpcourt:\s*(?P<pairs>.*)$")


class HeaderInvalid(Exception):
    """Raised when the header comment cannot be read. The message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Header:
    """The values of a header comment; None if not set."""

    problem: str | None = None
    language: str | None = None
    gpu: str | None = None


def read_header(source: str) -> Header:
    """The header of a program; an empty header if there is none.

    Raises:
        HeaderInvalid: it sets something other than problem, language and gpu.
    """
    for line in source.splitlines()[:_LINES]:
        if found := _HEADER.match(line):
            return _parse(found["pairs"])
    return Header()


def write_header(problem: str, language: str) -> str:
    """A header line, with its line break."""
    return f"{_COMMENTS[language]} warpcourt: problem={problem} language={language}\n"


def language_of(path: Path) -> str | None:
    """The language of a file's suffix; None if the suffix is unknown."""
    return next((language for language, suffix in SUFFIXES.items() if path.name.endswith(suffix)), None)


def _parse(pairs: str) -> Header:
    try:
        words = shlex.split(pairs)
    except ValueError as error:
        raise HeaderInvalid(f"The header comment has an unclosed quote: {pairs}") from error
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if name not in _KNOWN or not equals or not value:
            known = ", ".join(_KNOWN)
            raise HeaderInvalid(
                f"The header comment contains {word!r}. Use NAME=VALUE, where NAME is one of {known}."
            )
        found[name] = value
    return Header(**found)
