"""Finds variables of a CUDA program that keep their values from one call of `solve` to the next.

The module searches the text for device variables, static variables, and variables outside of functions.
Constants do not count, and neither do variables that the program never changes.
"""

import re
from collections.abc import Iterator

from judge.compiler.source import ProgramText

_MOST = 40  # declarations to examine
_MOST_NAMED = 3
_LONGEST = 200
_KEPT = re.compile(r"\b(?:static|__device__|__managed__)\b")
_CONSTANT = re.compile(
    r"\b(?:const|constexpr|constinit|__constant__|__shared__|__global__|operator|using|typedef|extern)\b"
)
_NAMED = re.compile(r"([A-Za-z_]\w{0,60})\s{0,8}(?:\[[^\[\]]{0,80}\]\s{0,8}){0,4}$")
_SKIPPED = re.compile(r"\b(?:namespace|extern)\b[^{};()]{0,100}\{")
_NOT_DECLARED = {"return", "else", "struct", "class", "enum", "union", "public", "private"}
_END = re.compile(r"[;={}()]")


def kept_text(source: str) -> str:
    """Return the names and lines of the variables in `source` that keep a value; empty if none is known."""
    program = ProgramText.read(source)
    found = dict(_declarations(program.code))
    changed = {name: line for name, line in found.items() if _changes(name, program.code)}
    return ", ".join(f"{name} (line {line})" for name, line in list(changed.items())[:_MOST_NAMED])


def _declarations(code: str) -> Iterator[tuple[str, int]]:
    """Yield the declared variables that can keep a value, and their lines."""
    starts = {match.end() for match in _KEPT.finditer(code)} | set(_outside(code))
    for start in sorted(starts)[:_MOST]:
        end = _END.search(code, start, start + _LONGEST)
        if end is None or end[0] in ")}(":
            continue  # a function, or not a declaration
        before = re.split(r"[;{}]", code[max(0, start - 40) : start])[-1]
        text = code[start : end.start()]
        words = set(text.split())
        if _CONSTANT.search(f"{before} {text}") or words & _NOT_DECLARED or "<<<" in text:
            continue
        name = _NAMED.search(text.rstrip())
        if name is not None and name.start() > 0 and text[: name.start()].strip():
            yield name[1], code.count("\n", 0, start + name.start(1)) + 1


def _outside(code: str) -> Iterator[int]:
    """Yield the positions at which statements outside of functions begin."""
    yield 0
    yield from (found.end() for found in _SKIPPED.finditer(code))
    code = _SKIPPED.sub(lambda found: " " * len(found[0]), code)
    depth = 0
    for match in re.finditer(r"[{};]", code):
        depth = max(0, depth + {"{": 1, "}": -1}.get(match[0], 0))
        if depth == 0 and match[0] != "{":
            yield match.end()


def _changes(name: str, code: str) -> bool:
    """Return whether the program may change the variable after its declaration."""
    word = re.escape(name)
    index = r"(?:\s{0,8}\[[^\[\];]{0,80}\]){0,4}"
    uses = rf"\b{word}{index}\s{{0,8}}(?:[-+*/%&|^]|<<|>>)?=(?!=)|\b{word}{index}\s{{0,8}}(?:\+\+|--|\.\w|->)"
    more = rf"(?:\+\+|--|&)\s{{0,8}}{word}\b|\bcudaMemcpyToSymbol(?:Async)?\s{{0,8}}\(\s{{0,8}}{word}\b"
    found = re.finditer(f"{uses}|{more}", code)
    places = [match.start() for match, _ in zip(found, range(_MOST), strict=False)]
    first = re.search(rf"\b{word}\b", code)
    declared = first.start() if first else 0
    return any(place != declared for place in places)
