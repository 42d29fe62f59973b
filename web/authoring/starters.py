"""The starter of each language: derived from the signature, or written by the author."""

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
    """The starter that learners get in a language.

    `written` is the text of the file, or None if there is no file. Learners then get `derived`.
    """

    language: Language
    declaration: str
    derived: str
    written: str | None

    @property
    def text(self) -> str:
        """Return the text that learners get."""
        return self.derived if self.written is None else self.written

    @property
    def difference(self) -> FileDifference | None:
        """Return the difference from the derived to the written text, or None if there is none."""
        if self.written is None or self.written == self.derived:
            return None
        path = path_of(self.language)
        return next(iter(differences({path: self.derived.encode()}, {path: self.written.encode()})), None)

    @property
    def stale(self) -> bool:
        """Return whether the written starter lacks the current declaration of `solve`."""
        return self.written is not None and "".join(self.declaration.split()) not in "".join(
            self.written.split()
        )


def path_of(language: Language) -> str:
    """Return the path of a starter that the author writes."""
    return f"{FOLDER}{STARTER_FILES[language]}"


def starters_of(workspace: Workspace) -> tuple[Starter, ...]:
    """Return the starter of every language of the problem. Return none while the signature has faults."""
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
    """Return a problem from which starters can be derived, even if the rest of the package has faults."""
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
