"""The starter of each language: derived from the signature, or written by hand and compared with that."""

from dataclasses import dataclass

from problems.binding import signature, starter
from problems.faults import Faults
from problems.package import STARTER_FILES
from problems.parse import Description, parse_description
from problems.schema import Problem
from problems.vocabulary import Language
from web.authoring.differing import FileDifference, differences
from web.authoring.models import Workspace
from web.authoring.queries import read

FOLDER = "starter/"


@dataclass(frozen=True, slots=True)
class Starter:
    """What learners begin with in a language.

    `written` is the text of the file, None where there is none and `derived` is what they get.
    """

    language: Language
    declaration: str
    derived: str
    written: str | None

    @property
    def text(self) -> str:
        """What learners get."""
        return self.derived if self.written is None else self.written

    @property
    def difference(self) -> FileDifference | None:
        """From the derived text to the written one; None where there is no difference."""
        if self.written is None or self.written == self.derived:
            return None
        path = path_of(self.language)
        return next(iter(differences({path: self.derived.encode()}, {path: self.written.encode()})), None)

    @property
    def stale(self) -> bool:
        """Whether a written one lacks the present declaration of `solve`."""
        return self.written is not None and "".join(self.declaration.split()) not in "".join(
            self.written.split()
        )


def path_of(language: Language) -> str:
    """The file of a starter that is written by hand."""
    return f"{FOLDER}{STARTER_FILES[language]}"


def starters_of(workspace: Workspace) -> tuple[Starter, ...]:
    """The starter of every language that the problem takes; none while its signature has faults."""
    files = read(workspace)
    faults = Faults(workspace.slug)
    text = files.get("problem.toml", b"").decode("utf-8", "replace")
    described = parse_description(text, faults)
    if not described.sound or not described.arguments:
        return ()
    problem = _problem(workspace.slug, described)
    return tuple(
        Starter(
            language,
            signature(problem, language),
            starter(problem, language),
            _text(files.get(path_of(language))),
        )
        for language in described.languages
    )


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")


def _problem(slug: str, described: Description) -> Problem:
    """What a starter is derived from. The rest of the package may be faulty still."""
    return Problem(
        slug=slug,
        title=described.title,
        summary=described.summary,
        difficulty=described.difficulty,
        tags=described.tags,
        languages=described.languages,
        arguments=described.arguments,
        cases=described.cases,
        limits=described.limits,
        bytes_moved=described.bytes_moved,
        operations=described.operations,
        statement="",
        reference="",
        starters={},
        solutions=(),
        version="",
        python=described.python,
    )
