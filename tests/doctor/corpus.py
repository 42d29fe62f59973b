"""The corpus of faulty programs that measures the doctor, with the expected finding for each program.

A program is a file in `programs/KIND/`, or a mutation: an accepted solution of a problem with some of its
text replaced, in `mutations/*.toml`. The first comment of a file names its problem: `// problem: vector-add`.
A comment at the end of a line, `// doctor: race`, says that the first finding must be of that kind and name
that line, or another line with such a comment. Alone on a line, it says that the finding names no line.

The comments are removed before a program is judged, so that nothing can depend on them.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from problems.loader import problems_root
from problems.vocabulary import COSTS, DiagnosticKind, Language

FOLDER = Path(__file__).parent
_PROBLEM = re.compile(r"^(?://|#) problem: ([a-z0-9-]+)$", re.MULTILINE)
_MARK = re.compile(r"[ \t]*(?://|#) doctor: ([a-z_]+)[ \t]*$", re.MULTILINE)
# A program with one of these findings is correct but slow.
SLOW = COSTS - {DiagnosticKind.DEVICE_LAUNCHES, DiagnosticKind.LEAK}


class CorpusInvalid(Exception):
    """Raised when a program of the corpus has no valid mark, or its solution has changed."""


@dataclass(frozen=True, slots=True)
class Faulty:
    """A faulty program. `group` is the kind of fault. `kind` and `lines` are the expected finding.

    `lines` is empty if the finding names no line. `mutated`: the program is a changed solution.
    """

    name: str
    group: str
    problem: str
    language: Language
    source: str
    kind: DiagnosticKind
    lines: frozenset[int]
    mutated: bool

    @property
    def slow(self) -> bool:
        """Whether the program is right but slow."""
        return self.kind in SLOW

    def fits(self, kind: str, line: int | None) -> bool:
        """Whether a finding of `kind` at `line` is the right one."""
        return kind == self.kind and (line in self.lines if self.lines else line is None)


def load() -> tuple[Faulty, ...]:
    """Return the whole corpus, in order of the groups.

    Raises:
        CorpusInvalid: with the program and what is wrong with it.
    """
    found = [*_written(), *_mutated()]
    return tuple(sorted(found, key=lambda faulty: (faulty.group, faulty.mutated, faulty.name)))


def parse(name: str, text: str, *, group: str, problem: str, mutated: bool) -> Faulty:
    """Return the program with the marked `text`.

    Raises:
        CorpusInvalid: it has no mark, or marks of several kinds, or of an unknown one.
    """
    kinds = {match[1] for match in _MARK.finditer(text)}
    if len(kinds) != 1 or not kinds <= {*DiagnosticKind}:
        found = ", ".join(sorted(kinds)) or "none"
        raise CorpusInvalid(f"{name} needs marks of one known kind, not of: {found}")
    language = Language.of_file(name)
    if language is None:
        raise CorpusInvalid(f"{name} has no ending of a language")
    lines = text.splitlines()
    marked = {number for number, line in enumerate(lines, start=1) if _MARK.search(line)}
    named = frozenset(number for number in marked if _MARK.sub("", lines[number - 1]).strip())
    return Faulty(
        name, group, problem, language, _MARK.sub("", text), DiagnosticKind(kinds.pop()), named, mutated
    )


def mutate(text: str, edits: list[list[str]], *, name: str) -> str:
    """Return `text` with each pair of old and new text replaced once.

    Raises:
        CorpusInvalid: an old text does not occur exactly once.
    """
    for old, new in edits:
        if text.count(old) != 1:
            raise CorpusInvalid(f"{name}: {old!r} occurs {text.count(old)} times in the solution, not once")
        text = text.replace(old, new)
    return text


def _written() -> Iterator[Faulty]:
    for path in sorted((FOLDER / "programs").glob("*/*.*")):
        text = path.read_text(encoding="utf-8")
        problem = _PROBLEM.search(text)
        if problem is None:
            raise CorpusInvalid(f"{path.name} names no problem in its first comment")
        group = path.parent.name
        yield parse(f"{group}/{path.name}", text, group=group, problem=problem[1], mutated=False)


def _mutated() -> Iterator[Faulty]:
    for path in sorted((FOLDER / "mutations").glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]:
            slug, _, file = entry["solution"].partition("/")
            solution = problems_root() / slug / "solutions" / file
            if not solution.is_file():
                raise CorpusInvalid(f"{path.name}: there is no solution {entry['solution']}")
            name = f"{path.stem}/{slug}-{entry['name']}{Language.of_file(file).suffix}"
            text = mutate(solution.read_text(encoding="utf-8"), entry["edits"], name=name)
            yield parse(name, text, group=path.stem, problem=slug, mutated=True)
