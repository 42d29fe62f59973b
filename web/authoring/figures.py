"""Figures of a workspace.

All of them pass the same checks as those of a package, regardless of their source.
"""

import hashlib

from django.urls import reverse

from problems.figures import FIGURE_NAME, REFERENCE, Figure, FigureInvalid, check_figure
from web.authoring.models import Workspace
from web.authoring.queries import read_file
from web.catalog.markdown import Picture

FOLDER = "figures/"


def find_figure(workspace: Workspace, name: str) -> Figure | None:
    """Return the figure with that name, or None if there is none that may be shown."""
    if not FIGURE_NAME.fullmatch(name):
        return None
    content = read_file(workspace, f"{FOLDER}{name}")
    try:
        return check_figure(name, content) if content is not None else None
    except FigureInvalid:
        return None


def pictures(workspace: Workspace, text: str) -> tuple[Picture, ...]:
    """Return the images that `text` shows.

    Their addresses change with their contents, because browsers cache them.
    """
    names = sorted(set(REFERENCE.findall(text)))
    found = [figure for figure in (find_figure(workspace, name) for name in names) if figure]
    return tuple(
        Picture(f"{FOLDER}{figure.name}", address_of(workspace, figure), figure.width, figure.height)
        for figure in found
    )


def address_of(workspace: Workspace, figure: Figure) -> str:
    """Return the address of a figure for members of the workspace."""
    digest = hashlib.sha256(figure.content).hexdigest()[:12]
    return f"{reverse('author-figure', args=[workspace.slug, figure.name])}?v={digest}"
