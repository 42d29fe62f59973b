"""Value types of mutants."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from problems.vocabulary import Language

_LONGEST_CHANGE = 160
_MOST_PLACES = 2000  # of one operator in one source; no real source has more


class Operator(StrEnum):
    """A kind of mistake. `docs/problem-format.md` explains each to authors."""

    LAST_ELEMENT = "dropped-last-element"
    SYNCHRONISATION = "dropped-synchronisation"
    INDEX = "swapped-index"
    LAUNCH = "off-by-one-launch"
    DTYPE = "wrong-dtype"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replaces the text from `start` to `end` of a source by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Original:
    """A solution from which mutants are made. `prelude` has the functions that edits call."""

    file: str
    language: Language
    source: str
    prelude: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A solution with one mistake. `number` counts the places of its operator in the file, from 1."""

    original: Original
    operator: Operator
    number: int
    edit: Edit

    @property
    def name(self) -> str:
        """The mutant's name in reports and in `[[mutants_ignored]]`."""
        return f"{self.operator}-{self.number}"

    @property
    def source(self) -> str:
        """The whole program."""
        text, edit, prelude = self.original.source, self.edit, self.original.prelude
        changed = text[: edit.start] + edit.text + text[edit.end :]
        # C++ must know a function before it is called; Python may not import before its __future__.
        first = self.original.language is Language.CUDA
        return f"{prelude}\n{changed}" if first else f"{changed}\n{prelude}"

    @property
    def program(self) -> str:
        """The program for readers: it has the prelude only if the edit calls it."""
        text, edit = self.original.source, self.edit
        if "warpcourt_" in edit.text:
            return self.source
        return text[: edit.start] + edit.text + text[edit.end :]

    @property
    def line(self) -> int:
        """The changed line of the file, from 1."""
        return self.original.source.count("\n", 0, self.edit.start) + 1

    @property
    def line_text(self) -> str:
        """The text of that line in the file, stripped."""
        return self.original.source.split("\n")[self.line - 1].strip()

    @property
    def change(self) -> str:
        """A one-line description of the change."""
        before = self.original.source[self.edit.start : self.edit.end]
        return f"{_shown(before)} → {_shown(self.edit.text)}"


def mutants_by_place(original: Original, operator: Operator, edits: Iterable[Edit]) -> Iterator[Mutant]:
    """Yield a mutant for each of `edits`, in the order of their places."""
    for number, edit in enumerate(sorted(set(edits))[:_MOST_PLACES], start=1):
        yield Mutant(original, operator, number, edit)


def _shown(code: str) -> str:
    line = " ".join(code.split()) or "nothing"
    return line if len(line) <= _LONGEST_CHANGE else f"{line[: _LONGEST_CHANGE - 1]}…"
