"""The starter of each language: derived from the signature, written by the author, or a given program."""

from collections.abc import Mapping
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
class SolutionText:
    """The name of a file in `solutions/`, and its text."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Starter:
    """The starter that learners get in a language.

    `written` is the text of the file, or None if there is no file. Learners then get `derived`, which is
    nearly empty. `skeleton` is a proposal with a kernel that has holes, None if the language has none. If
    the problem gives a wrong program, learners get the text of `given`, a file of `solutions/`.
    """

    language: Language
    declaration: str
    derived: str
    skeleton: str | None
    written: str | None
    given: SolutionText | None = None

    @property
    def text(self) -> str:
        """Return the text that learners get."""
        return self.derived if self._by_hand is None else self._by_hand

    @property
    def _by_hand(self) -> str | None:
        return self.given.text if self.given else self.written

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
        """Return whether a starter that is not derived lacks the current declaration of `solve`."""
        text = self._by_hand
        return text is not None and "".join(self.declaration.split()) not in "".join(text.split())


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
    given = _given(problem, files)
    return tuple(
        Starter(
            language,
            signature(problem, language),
            starter(problem, language),
            skeleton(problem, language),
            _text(files.get(path_of(language))),
            given.get(language),
        )
        for language in problem.languages
    )


def _derivable(workspace: Workspace, description: bytes) -> Problem | None:
    """Return a problem from which declarations follow, or None while the signature has faults."""
    described = parse_description(description.decode("utf-8", "replace"), Faults(workspace.slug))
    return _problem(workspace.slug, described) if described.sound and described.arguments else None


def _given(problem: Problem, files: Mapping[str, bytes]) -> dict[Language | None, SolutionText]:
    """Return the given programs that exist, by language."""
    names = problem.fix.given if problem.fix else ()
    texts = ((name, _text(files.get(f"solutions/{name}"))) for name in names)
    return {Language.of_file(name): SolutionText(name, text) for name, text in texts if text is not None}


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
        fix=described.fix,
        gpus=described.gpus,
        ranks=described.ranks,
    )
