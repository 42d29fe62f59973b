"""Scans the source of a CUDA program for names and functions, without parsing it."""

import re
from dataclasses import dataclass

from judge.proof.mutants.code import masked

MAX_CHARACTERS = 512 * 1024  # more than a program may have
_MAX_NAMES = 600
_MAX_CALL, _MAX_CALLS = 1000, 100
_NOT_TYPES = {"return", "else", "case", "throw", "new", "do"}
_NAME = re.compile(r"[A-Za-z_]\w{0,60}(?!\w)")
_FUNCTION = re.compile(r"\b(?P<type>void|int|auto) {1,8}(?P<name>[A-Za-z_]\w{0,60}) {0,8}\(")


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program: its lines as they are, and its `code` without comments, texts and directives."""

    lines: list[str]
    code: str

    @classmethod
    def read(cls, text: str) -> "ProgramText":
        """The program `text`, as far as it is looked at."""
        text = text[:MAX_CHARACTERS].replace("\r\n", "\n")
        return cls(text.split("\n"), masked(text))

    def names(self) -> set[str]:
        """The identifiers in it."""
        found: set[str] = set()
        for match in _NAME.finditer(self.code):
            found.add(match[0])
            if len(found) == _MAX_NAMES:
                break
        return found

    def line_of(self, name: str) -> int | None:
        """The line on which `name` is declared or called as a function first."""
        match = re.search(rf"\b{re.escape(name)}\s{{0,80}}\(", self.code)
        return self._line(match.start()) if match else None

    def declares(self, name: str) -> bool:
        """Whether a function `name` is declared in it, as far as that is plain to see."""
        found = re.finditer(rf"\b(\w{{1,60}})[ \t*&]{{1,8}}{re.escape(name)}\s{{0,80}}\(", self.code)
        return any(match[1] not in _NOT_TYPES for match in found)

    def functions(self) -> list[tuple[str, int]]:
        """The functions of the host with their lines, as far as they are plain to see."""
        found = []
        for match in _FUNCTION.finditer(self.code):
            before = self.code[max(0, match.start() - 40) : match.start()].rpartition("\n")[2]
            if "__global__" not in before and "__device__" not in before:
                found.append((match["name"], self._line(match.start("name"))))
            if len(found) == 100:
                break
        return found

    def parameters_of(self, name: str) -> tuple[str, ...]:
        """The parameters of the first function `name` as they are written; none where they are not plain."""
        match = re.search(rf"\b{re.escape(name)}\s{{0,80}}\(([^(){{}};]{{1,2000}})\)", self.code)
        return tuple(text.strip() for text in match[1].split(",")) if match else ()

    def statements_of(self, name: str) -> list[tuple[int, str]]:
        """The calls of `name`, at most 100: the line of each, and its text up to the next semicolon."""
        found = []
        for match in re.finditer(rf"\b{re.escape(name)}\s{{0,80}}\(", self.code):
            text = self.code[match.end() : match.end() + _MAX_CALL].partition(";")[0]
            found.append((self._line(match.start()), text))
            if len(found) == _MAX_CALLS:
                break
        return found

    def code_before(self, line: int) -> int | None:
        """The last line before `line` that has code."""
        lines = self.code.split("\n")
        return next((n for n in range(min(line - 1, len(lines)), 0, -1) if lines[n - 1].strip()), None)

    def _line(self, at: int) -> int:
        return self.code.count("\n", 0, at) + 1
