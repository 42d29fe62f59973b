"""Figures of a workspace: checked like those of a package, whoever uploaded them and however they came in."""

import hashlib

from django.urls import reverse

from problems.figures import FIGURE_NAME, REFERENCE, Figure, FigureInvalid, check_figure
from web.authoring.models import Workspace
from web.authoring.queries import read_file
from web.catalog.markdown import Picture

FOLDER = "figures/"


def find_figure(workspace: Workspace, name: str) -> Figure | None:
    """The figure of that name; None when there is none that may be shown."""
    if not FIGURE_NAME.fullmatch(name):
        return None
    content = read_file(workspace, f"{FOLDER}{name}")
    try:
        return check_figure(name, content) if content is not None else None
    except FigureInvalid:
        return None


def pictures(workspace: Workspace, text: str) -> tuple[Picture, ...]:
    """What the images in `text` show. Their addresses change with their contents, as browsers keep them."""
    names = sorted(set(REFERENCE.findall(text)))
    found = [figure for figure in (find_figure(workspace, name) for name in names) if figure]
    return tuple(
        Picture(f"{FOLDER}{figure.name}", address_of(workspace, figure), figure.width, figure.height)
        for figure in found
    )


def address_of(workspace: Workspace, figure: Figure) -> str:
    """Where members of the workspace find a figure."""
    digest = hashlib.sha256(figure.content).hexdigest()[:12]
    return f"{reverse('author-figure', args=[workspace.slug, figure.name])}?v={digest}"
