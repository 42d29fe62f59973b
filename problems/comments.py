"""The comment at the top of a program, in time that is linear in its length."""

import re

from problems.vocabulary import Language

_LEADING_COMMENT = re.compile(r"(?:[ \t]*//[^\n]*\n)+")
_DOCSTRING = re.compile(r'\s*"""((?:[^"]++|"(?!""))*+)"""')


def first_paragraph(source: str, language: Language) -> str:
    """Return the first paragraph of the comment at the top of `source` as one line, empty without one."""
    if language is Language.CUDA:
        found = _LEADING_COMMENT.match(source)
        lines = [line.strip().removeprefix("//").strip() for line in found[0].splitlines()] if found else []
    else:
        docstring = _DOCSTRING.match(source)
        lines = [line.strip() for line in docstring[1].strip().splitlines()] if docstring else []
    return " ".join(lines[: lines.index("")] if "" in lines else lines)
