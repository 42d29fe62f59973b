"""Access to the problem that an address names."""

from django.http import Http404

from web.catalog.models import Problem
from web.catalog.queries import Viewer, find_problem


def problem_or_404(viewer: Viewer, slug: str) -> Problem:
    """Return the problem with that slug, with its marks.

    Raises:
        Http404: it does not exist, or `viewer` may not see it.
    """
    found = find_problem(viewer, slug)
    if found is None:
        raise Http404("Problem not found.")
    return found
