"""Who may read a version: what is in it is hidden from learners."""

from django.db.models import Q, QuerySet

from web.authoring import rights
from web.authoring.models import Workspace
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
    workspace = find_workspace(viewer, version.problem.slug)
    if workspace is None or not viewer.has_perm(rights.VIEW, workspace):
        return False
    return readable_versions(viewer, workspace).filter(pk=version.pk).exists()


def readable_versions(viewer: Viewer, workspace: Workspace) -> QuerySet[PackageVersion]:
    """The versions that `viewer`, who may view `workspace`, may have, latest first, without their archives.

    A problem of the site, or one that was imported on the command line, may be called like a workspace: to
    be in that workspace opens nothing of it.
    """
    versions = PackageVersion.objects.filter(problem__slug=workspace.slug).select_related("problem", "by")
    versions = versions.defer("archive").order_by("-number")
    if viewer.is_staff:
        return versions
    # Who published it may be gone; what they published is in the history then.
    from_here = Q(by__isnull=False) | Q(content_hash__in=workspace.revisions.values("content_hash"))
    return versions.filter(from_here, origin=Origin.AUTHOR)
