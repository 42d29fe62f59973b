"""The figures of problems. They are read from the live package and checked each time."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import structlog
from django.urls import reverse

from problems.figures import FIGURE_NAME, REFERENCE, Figure, FigureInvalid, read_figure
from web.catalog.markdown import Picture
from web.catalog.models import Problem
from web.packages.folders import PackageDamaged, folder_of

log = structlog.get_logger(__name__)

# An SVG is a document: without this header it could run scripts when a browser opens it directly.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def find_figure(problem: Problem, name: str) -> Figure | None:
    """Return the figure with that name; None if the package of `problem` has none that may be shown."""
    return next(_figures(problem, [name]), None)


def figures_in(text: str) -> set[str]:
    """Return the names of the figures that `text` shows. They may not exist."""
    return set(REFERENCE.findall(text))


def pictures(problem: Problem, text: str) -> tuple[Picture, ...]:
    """Return the content of the images in `text`, a statement or an editorial of `problem`."""
    return tuple(
        Picture(
            f"figures/{figure.name}",
            reverse("problem-figure", args=[problem.slug, figure.name]),
            figure.width,
            figure.height,
        )
        for figure in _figures(problem, sorted(figures_in(text)))
    )


def _figures(problem: Problem, names: Iterable[str]) -> Iterator[Figure]:
    known = [name for name in names if FIGURE_NAME.fullmatch(name)]
    if not known:
        return
    try:
        folder = folder_of(problem, None) / "figures"
    except (OSError, PackageDamaged):
        log.exception("figures_unreadable", problem=problem.slug)
        return
    for name in known:
        with suppress(OSError, FigureInvalid):
            yield _read(folder / name, (folder / name).lstat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: Path, _changed_ns: int) -> Figure:
    return read_figure(path)
