"""Loads quizzes: files in the folder `quizzes`, next to the packages."""

from dataclasses import dataclass
from pathlib import Path

from problems.faults import Faults, PackageInvalid
from problems.package import read_text
from problems.quiz import FOLDER, Quiz, parse_quiz
from problems.quiz_proof import prove_quiz


@dataclass(frozen=True, slots=True)
class QuizFile:
    """A sound quiz, and the text that it was read from."""

    quiz: Quiz
    source: str


def load_quiz(path: Path) -> QuizFile:
    """Load and validate the file at `path`, whose name without `.toml` is the slug.

    Raises:
        PackageInvalid: with every fault of the file.
    """
    faults = Faults(FOLDER, table_file=path.name)
    source = read_text(path, path.name, faults)
    faults.raise_any()
    return check_quiz(path.stem, source)


def check_quiz(slug: str, source: str) -> QuizFile:
    """Return the quiz `slug` if `source` states a sound one, also for some draws.

    Raises:
        PackageInvalid: with every fault.
    """
    quiz = parse_quiz(slug, source)
    faults = Faults(FOLDER, table_file=f"{slug}.toml")
    for fault in prove_quiz(quiz):
        faults.add(faults.table_file, "", fault)
    faults.raise_any()
    return QuizFile(quiz, source)


def load_quizzes(root: Path) -> tuple[tuple[QuizFile, ...], tuple[str, ...]]:
    """Every sound quiz below `root`, in the order of their slugs, and the faults of the broken ones."""
    quizzes: list[QuizFile] = []
    faults: list[str] = []
    for path in sorted((root / FOLDER).glob("*.toml")):
        try:
            quizzes.append(load_quiz(path))
        except PackageInvalid as error:
            faults.extend(error.faults)
    return tuple(quizzes), tuple(faults)
