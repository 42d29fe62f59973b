"""Which problem an address names, for those who may know of it."""

from django.http import Http404

from web.catalog.models import Problem
from web.catalog.queries import Viewer, find_problem


def problem_or_404(viewer: Viewer, slug: str) -> Problem:
    """The problem of that slug, with its marks.

    Raises:
        Http404: there is none that `viewer` may know of.
    """
    found = find_problem(viewer, slug)
    if found is None:
        raise Http404("Problem not found.")
    return found
