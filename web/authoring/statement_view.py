"""Renders a statement or an editorial exactly as learners will see it."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from problems import schema
from problems.contents import DESCRIPTION, Contents, as_folder
from problems.faults import PackageInvalid
from problems.loader import load_problem
from problems.translations import locale_of
from web.authoring.faults import PackageFault, faults_at, faults_in
from web.authoring.figures import pictures
from web.authoring.models import Workspace
from web.authoring.queries import read
from web.catalog.arguments import Argument, argument_row
from web.catalog.folding import folded
from web.catalog.markdown import render_once

STATEMENT, EDITORIAL = "statement.md", "editorial.md"


@dataclass(frozen=True, slots=True)
class StatementView:
    """The content of the problem's page. `problem` is None while the package has faults.

    `faults` are those of the statement itself.
    """

    problem: schema.Problem | None
    locale: str
    statement: SafeString
    arguments: tuple[Argument, ...]
    faults: tuple[PackageFault, ...] = ()

    @property
    def on_host(self) -> bool:
        """Return whether `solve` gets an array in host memory, so that the problem is not timed."""
        return any(argument.on_host for argument in self.arguments)

    @property
    def placed(self) -> bool:
        """Return whether the table says where arrays are."""
        return any(argument.memory for argument in self.arguments)

    @property
    def gpus(self) -> int:
        """Return the number of GPUs that a program uses."""
        return self.problem.devices_needed if self.problem else 1

    @property
    def ranks(self) -> int:
        """Return the number of processes of a program."""
        return self.problem.ranks if self.problem else 1


def rendered(workspace: Workspace, text: str, *, anchors: str = "s-") -> SafeString:
    """Return `text`, which changes while it is written, as HTML with the figures of `workspace`."""
    return render_once(text, anchors=anchors, pictures=pictures(workspace, text), terms=True)


def statement_view(
    workspace: Workspace, path: str, text: str, *, description: str | None = None
) -> StatementView:
    """Return the page for the statement at `path` with the content `text`.

    `description` is the new text of problem.toml. None means the current text. While the package has faults,
    the result has the text only, because the rest of the page can't be derived.
    """
    files = {**read(workspace), path: text.encode()}
    if description is not None:
        files[DESCRIPTION] = description.encode()
    try:
        with as_folder(Contents(workspace.slug, files)) as folder:
            problem = load_problem(folder)
    except PackageInvalid as refusal:
        faults = faults_at(faults_in(refusal), path)
        return StatementView(None, locale_of(path), rendered(workspace, text), (), faults)
    original = rendered(workspace, problem.statement)
    translation = problem.translations.get(locale_of(path))
    return StatementView(
        problem,
        locale_of(path),
        folded.__wrapped__(rendered(workspace, translation) if translation else original, original),
        tuple(argument_row(argument, gpus=problem.gpus) for argument in problem.arguments),
    )


def editorial_view(workspace: Workspace, text: str) -> SafeString:
    """Return the editorial `text` as HTML. It includes the numbers of the package if that has no faults."""
    try:
        with as_folder(Contents(workspace.slug, {**read(workspace), EDITORIAL: text.encode()})) as folder:
            text = load_problem(folder).editorial or ""
    except PackageInvalid:
        pass
    return rendered(workspace, text, anchors="e-")
