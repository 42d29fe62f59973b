"""Scans the source of a CUDA program for names and functions, without parsing it."""

import re
from dataclasses import dataclass
from itertools import islice

from judge.evidence.launches import plain_name
from judge.proof.mutants.code import masked

MAX_CHARACTERS = 512 * 1024  # more than a program may have
_MAX_NAMES = 600
_MAX_INDEX, _MAX_HEAD = 200, 4000
_MAX_CALL, _MAX_CALLS = 1000, 100
_MAX_ACCESSES = 200
_NOT_TYPES = {"return", "else", "case", "throw", "new", "do"}
_NAME = re.compile(r"[A-Za-z_]\w{0,60}(?!\w)")
_FUNCTION = re.compile(r"\b(?P<type>void|int|auto) {1,8}(?P<name>[A-Za-z_]\w{0,60}) {0,8}\(")
_DEVICE = re.compile(r"\b__(?:global|device)__\b")
_NOT_NEWLINE = re.compile(r"[^\n]")
_BRACE = re.compile(r"[{}]")
_LOOP = re.compile(
    r"\b(?:(?P<endless>while\s{0,8}\(\s{0,8}(?:true|1)\s{0,8}\)|for\s{0,8}\([^;()]{0,80};\s{0,8};)"
    r"|(?:while|for)\s{0,8}\()"
)
_ASSIGNED = re.compile(r"\s{0,8}(?P<compound>[-+*/%&|^]|<<|>>)?=(?!=)|\s{0,8}(?P<step>\+\+|--)")


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: its line, whether it is in `host` code, and whether only its body can end it (`endless`)."""

    line: int
    host: bool
    endless: bool


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program's text: its unchanged lines, and its `code` without comments, literals and directives."""

    lines: list[str]
    code: str

    @classmethod
    def read(cls, text: str) -> "ProgramText":
        """Read the program `text`. Only its first MAX_CHARACTERS are examined."""
        text = text[:MAX_CHARACTERS].replace("\r\n", "\n")
        return cls(text.split("\n"), masked(text))

    def names(self) -> set[str]:
        """The identifiers in the code."""
        found: set[str] = set()
        for match in _NAME.finditer(self.code):
            found.add(match[0])
            if len(found) == _MAX_NAMES:
                break
        return found

    def line_of(self, name: str) -> int | None:
        """Return the line on which the function `name` is first declared or called."""
        match = re.search(rf"\b{re.escape(name)}\s{{0,80}}\(", self.code)
        return self._line(match.start()) if match else None

    def declares(self, name: str) -> bool:
        """Return whether the program declares a function `name`, as far as a scan of the text can tell."""
        found = re.finditer(rf"\b(\w{{1,60}})[ \t*&]{{1,8}}{re.escape(name)}\s{{0,80}}\(", self.code)
        return any(match[1] not in _NOT_TYPES for match in found)

    def functions(self) -> list[tuple[str, int]]:
        """The functions of the host with their lines, as far as a scan of the text finds them."""
        found = []
        for match in _FUNCTION.finditer(self.code):
            before = self.code[max(0, match.start() - 40) : match.start()].rpartition("\n")[2]
            if "__global__" not in before and "__device__" not in before:
                found.append((match["name"], self._line(match.start("name"))))
            if len(found) == 100:
                break
        return found

    def parameters_of(self, name: str) -> tuple[str, ...]:
        """Return the parameters of the first function `name` as written; empty if they cannot be parsed."""
        match = re.search(rf"\b{re.escape(name)}\s{{0,80}}\(([^(){{}};]{{1,2000}})\)", self.code)
        return tuple(text.strip() for text in match[1].split(",")) if match else ()

    def statements_of(self, name: str) -> list[tuple[int, str]]:
        """Return at most 100 calls of `name`: the line of each, and its text up to the next semicolon."""
        found = []
        for match in re.finditer(rf"\b{re.escape(name)}\s{{0,80}}\(", self.code):
            text = self.code[match.end() : match.end() + _MAX_CALL].partition(";")[0]
            found.append((self._line(match.start()), text))
            if len(found) == _MAX_CALLS:
                break
        return found

    def first_access(self, name: str, *, writes: bool, host: str) -> int | None:
        """Return the first line that reads, or writes, an element of the array `name` in `host`.

        `host` is the result of `host_code()`. Only a bounded number of accesses is examined.
        """
        if not name:
            return None
        word = re.escape(name)
        element, pointed = rf"(?<![\w*]){word}\s{{0,8}}\[", rf"(?<=[=(,;{{}}+\-/<>?:&|!])\s{{0,80}}\*{word}\b"
        matches = re.finditer(f"{element}|{pointed}", host)
        for match in islice(matches, _MAX_ACCESSES):
            rest = host[match.end() : match.end() + _MAX_INDEX]
            if match[0].endswith("["):
                rest = _after_bracket(rest)
            written = _ASSIGNED.match(rest)
            if bool(written) is writes or (written and written["compound"] and not writes):
                return self._line(match.start() + len(match[0]) - len(match[0].lstrip()))
        return None

    def launch_of(self, kernel: str) -> int | None:
        """Return the line that launches `kernel`, a demangled name; None if no line or several lines do."""
        name = plain_name(kernel).partition("<")[0].rpartition("::")[2]
        lines = self._launches_of(name) if name else []
        return lines[0] if len(lines) == 1 else None

    def _launches_of(self, kernel: str) -> list[int]:
        """Return the lines that launch `kernel`, at most 100."""
        found = re.finditer(rf"\b{re.escape(kernel)}\s{{0,8}}(?:<[^<>;]{{0,200}}>)?\s{{0,8}}<<<", self.code)
        return [self._line(match.start()) for match, _ in zip(found, range(_MAX_CALLS), strict=False)]

    def loops(self) -> list[Loop]:
        """The loops in the code, at most 100."""
        host = self.host_code()
        return [
            Loop(self._line(match.start()), host[match.start()] != " ", match["endless"] is not None)
            for match in islice(_LOOP.finditer(self.code), _MAX_CALLS)
        ]

    def host_code(self) -> str:
        """Return the code with the bodies of kernels and device functions blanked."""
        parts, at = [], 0
        for match in _DEVICE.finditer(self.code):
            opening = self.code.find("{", match.end(), match.end() + _MAX_HEAD)
            if match.start() < at or opening < 0 or ";" in self.code[match.end() : opening]:
                continue
            end = _closing(self.code, opening)
            parts += [self.code[at : match.start()], _NOT_NEWLINE.sub(" ", self.code[match.start() : end])]
            at = end
        return "".join((*parts, self.code[at:]))

    def code_before(self, line: int) -> int | None:
        """Return the last line before `line` that has code."""
        lines = self.code.split("\n")
        return next((n for n in range(min(line - 1, len(lines)), 0, -1) if lines[n - 1].strip()), None)

    def _line(self, at: int) -> int:
        return self.code.count("\n", 0, at) + 1


def _closing(code: str, opening: int) -> int:
    """Return the position after the brace that closes the brace at `opening`."""
    depth = 0
    for match in _BRACE.finditer(code, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return len(code)


def _after_bracket(text: str) -> str:
    """Return the text after the bracket that closes an index. `text` starts inside the index."""
    depth = 1
    for place, character in enumerate(text):
        depth += {"[": 1, "]": -1}.get(character, 0)
        if depth == 0:
            return text[place + 1 :]
    return ""
