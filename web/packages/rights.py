"""Who may read a version: what is in it is hidden from learners."""

from web.authoring import rights
from web.authoring.queries import find_workspace
from web.catalog.queries import Viewer
from web.packages.models import Origin, PackageVersion


def may_read(viewer: Viewer, version: PackageVersion) -> bool:
    """Whether `viewer` may have the files of `version`, hidden cases, reference and solutions among them.

    Staff may, and whoever may view the workspace that it was published from. A version that came with the
    site is staff's alone, whatever a workspace is called.
    """
    if not viewer.is_authenticated:
        return False
    if viewer.is_staff:
        return True
    if version.origin != Origin.AUTHOR:
        return False
    workspace = find_workspace(viewer, version.problem.slug)
    return workspace is not None and viewer.has_perm(rights.VIEW, workspace)
