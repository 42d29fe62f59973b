"""What a mutant is. Values only."""

from dataclasses import dataclass
from enum import StrEnum

from problems.vocabulary import Language

_LONGEST_CHANGE = 160


class Operator(StrEnum):
    """A kind of mistake. `docs/problem-format.md` explains each to authors."""

    LAST_ELEMENT = "dropped-last-element"
    SYNCHRONISATION = "dropped-synchronisation"
    INDEX = "swapped-index"
    LAUNCH = "off-by-one-launch"
    DTYPE = "wrong-dtype"


@dataclass(frozen=True, slots=True)
class Edit:
    """The text from `start` to `end` of a source becomes `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """The solution `file` with one mistake. `number` counts the places of its operator in the file, from 1."""

    file: str
    language: Language
    operator: Operator
    number: int
    line: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        """What it is called in reports and in `[[mutants_ignored]]`."""
        return f"{self.operator}-{self.number}"

    @property
    def change(self) -> str:
        """What was changed, in one line."""
        return f"{_shown(self.before)} → {_shown(self.after)}"


def mutant_of(
    source: str, edit: Edit, *, file: str, language: Language, operator: Operator, number: int, prelude: str
) -> Mutant:
    """The mutant that `edit` makes of `source`, with `prelude`, what the edit calls, put before or after it."""
    changed = source[: edit.start] + edit.text + source[edit.end :]
    return Mutant(
        file=file,
        language=language,
        operator=operator,
        number=number,
        line=source.count("\n", 0, edit.start) + 1,
        before=source[edit.start : edit.end],
        after=edit.text,
        source=f"{prelude}\n{changed}" if language is Language.CUDA else f"{changed}\n{prelude}",
    )


def _shown(code: str) -> str:
    line = " ".join(code.split()) or "nothing"
    return line if len(line) <= _LONGEST_CHANGE else f"{line[: _LONGEST_CHANGE - 1]}…"
