"""The starter of each language: derived from the signature, or written by the author."""

from dataclasses import dataclass

from problems.binding import signature, starter
from problems.contents import DESCRIPTION
from problems.faults import Faults
from problems.package import STARTER_FILES
from problems.parse import Description, parse_description
from problems.schema import Problem
from problems.vocabulary import Language
from web.authoring.differing import FileDifference, differences
from web.authoring.models import Workspace
from web.authoring.queries import read, read_file
from web.authoring.skeletons import skeleton

FOLDER = "starter/"


@dataclass(frozen=True, slots=True)
class Starter:
    """The starter that learners get in a language.

    `written` is the text of the file, or None if there is no file. Learners then get `derived`, which is
    nearly empty. `skeleton` is a proposal with a kernel that has holes, None if the language has none.
    """

    language: Language
    declaration: str
    derived: str
    skeleton: str | None
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
    def is_skeleton(self) -> bool:
        """Return whether learners get the skeleton as it was proposed."""
        return self.written is not None and self.written == self.skeleton

    @property
    def stale(self) -> bool:
        """Return whether the written starter lacks the current declaration of `solve`."""
        return self.written is not None and "".join(self.declaration.split()) not in "".join(
            self.written.split()
        )


def path_of(language: Language) -> str:
    """Return the path of a starter that the author writes."""
    return f"{FOLDER}{STARTER_FILES[language]}"


def declarations_of(workspace: Workspace) -> dict[Language, str]:
    """Return the declaration of the entry point in each language. Empty while the signature has faults."""
    problem = _derivable(workspace, read_file(workspace, DESCRIPTION) or b"")
    return {language: signature(problem, language) for language in problem.languages} if problem else {}


def starters_of(workspace: Workspace) -> tuple[Starter, ...]:
    """Return the starter of every language of the problem. Return none while the signature has faults."""
    files = read(workspace)
    problem = _derivable(workspace, files.get(DESCRIPTION, b""))
    if problem is None:
        return ()
    return tuple(
        Starter(
            language,
            signature(problem, language),
            starter(problem, language),
            skeleton(problem, language),
            _text(files.get(path_of(language))),
        )
        for language in problem.languages
    )


def _derivable(workspace: Workspace, description: bytes) -> Problem | None:
    """Return a problem from which declarations follow, or None while the signature has faults."""
    described = parse_description(description.decode("utf-8", "replace"), Faults(workspace.slug))
    return _problem(workspace.slug, described) if described.sound and described.arguments else None


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
