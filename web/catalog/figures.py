"""Figures of problem packages: read from the package, which is the original, and checked each time.

The statement is in the database, its figures are not: a web host has the packages at hand, or it could not
load them.
"""

from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.urls import reverse

from problems.figures import FIGURE_NAME, REFERENCE, Figure, FigureInvalid, read_figure
from web.catalog.markdown import Picture

# An SVG is a document: opened by itself it could do what pages can, were it not for this.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def find_figure(slug: str, name: str) -> Figure | None:
    """The figure of that name; None when the package of `slug` has none that may be shown."""
    if not FIGURE_NAME.fullmatch(name):
        return None
    path = settings.WARPCOURT.problems_dir / slug / "figures" / name
    try:
        return _read(path, path.lstat().st_mtime_ns)
    except (OSError, FigureInvalid):
        return None


def pictures(slug: str, text: str) -> tuple[Picture, ...]:
    """What the images in `text`, a statement or an editorial of `slug`, show."""
    names = sorted(set(REFERENCE.findall(text)))
    found = [figure for figure in (find_figure(slug, name) for name in names) if figure]
    return tuple(
        Picture(
            f"figures/{figure.name}",
            reverse("problem-figure", args=[slug, figure.name]),
            figure.width,
            figure.height,
        )
        for figure in found
    )


@lru_cache(maxsize=64)
def _read(path: Path, _changed_ns: int) -> Figure:
    return read_figure(path)
