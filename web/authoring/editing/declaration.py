"""The declaration of the entry point in a source: found, compared, and replaced by that of the signature."""

import re
from itertools import islice

from judge.proof.mutants.code import closing_of, masked
from problems.vocabulary import Language

_MOST_LOOKED_AT = 20  # from each candidate, the text is read again
_OPTIONAL = re.compile(r"\b(?:const|__restrict__)\b|\s+")


def declaration_in(source: str, declaration: str, language: Language) -> str | None:
    """Return the declaration in `source` of the same name as in `declaration`, or None if there is none."""
    place = _place(source, declaration, language)
    return None if place is None else source[place[0] : place[1]]


def differs(source: str, declaration: str, language: Language) -> bool:
    """Return whether `source` declares its entry point differently. Blanks and `const` do not count."""
    found = declaration_in(source, declaration, language)
    return found is None or _OPTIONAL.sub("", found) != _OPTIONAL.sub("", declaration)


def with_declaration(source: str, declaration: str, language: Language) -> str:
    """Return `source` with its declaration replaced by `declaration`.

    A source without one stays unchanged.
    """
    place = _place(source, declaration, language)
    return source if place is None else f"{source[: place[0]]}{declaration}{source[place[1] :]}"


def _place(source: str, declaration: str, language: Language) -> tuple[int, int] | None:
    head = r"\s+".join(re.escape(word) for word in declaration.partition("(")[0].split())
    cuda = language is Language.CUDA
    code = masked(source) if cuda else source
    pattern = re.compile(rf"\b{head}\s*\(" if cuda else rf"^{head}\s*\(", re.MULTILINE)
    for found in islice(pattern.finditer(code), _MOST_LOOKED_AT):
        end = closing_of(code, found.end() - 1)
        after = re.compile(r"\s*\{" if cuda else r"[^:\n]*:").match(code, end)
        if after:
            return found.start(), end if cuda else after.end() - 1
    return None
