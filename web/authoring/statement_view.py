"""A statement or an editorial exactly as learners will see it, before anybody does."""

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
from web.catalog.arguments import Argument
from web.catalog.markdown import render

STATEMENT, EDITORIAL = "statement.md", "editorial.md"


@dataclass(frozen=True, slots=True)
class StatementView:
    """What the page of the problem will show. `problem` is None while the package has faults.

    `faults` are those of the statement itself.
    """

    problem: schema.Problem | None
    locale: str
    statement: SafeString
    arguments: tuple[Argument, ...]
    faults: tuple[PackageFault, ...] = ()


def rendered(workspace: Workspace, text: str, *, anchors: str = "s-") -> SafeString:
    """The HTML of `text`, with the figures of `workspace`."""
    return render(text, anchors=anchors, pictures=pictures(workspace, text))


def statement_view(
    workspace: Workspace, path: str, text: str, *, description: str | None = None
) -> StatementView:
    """The page as it will be when the file at `path`, a statement, says `text`.

    `description` is what problem.toml will say; None: as it does now. While the package has faults, that is
    the text alone: what else a learner sees is not known then.
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
    return StatementView(
        problem,
        locale_of(path),
        rendered(workspace, problem.translations.get(locale_of(path), problem.statement)),
        tuple(_row(argument) for argument in problem.arguments),
    )


def editorial_view(workspace: Workspace, text: str) -> SafeString:
    """The editorial when its file says `text`, with its numbers once the package has no faults."""
    try:
        with as_folder(Contents(workspace.slug, {**read(workspace), EDITORIAL: text.encode()})) as folder:
            text = load_problem(folder).editorial or ""
    except PackageInvalid:
        pass
    return rendered(workspace, text, anchors="e-")


def _row(argument: schema.Argument) -> Argument:
    shape = " \N{MULTIPLICATION SIGN} ".join(formula.text for formula in argument.shape)
    return Argument(argument.name, argument.role.value, argument.dtype.value, shape)
