"""Read access to versions. Their contents are hidden from learners."""

from django.db.models import Q, QuerySet

from web.authoring import rights
from web.authoring.models import Workspace
from web.authoring.queries import find_workspace
from web.catalog.queries import Viewer
from web.packages.models import Origin, PackageVersion


def may_read(viewer: Viewer, version: PackageVersion) -> bool:
    """Return whether `viewer` may read the files of `version`, with hidden cases, reference and solutions.

    Staff may, and so may users who may view the workspace from which it was published. Only staff may read a
    version that came with the site, even if a workspace has the same name.
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
    """Return the versions that `viewer` may read, latest first, without their archives.

    `viewer` may view `workspace`. A problem of the site, or one imported on the command line, may have the
    name of a workspace. Membership in that workspace gives no access to it.
    """
    versions = PackageVersion.objects.filter(problem__slug=workspace.slug).select_related("problem", "by")
    versions = versions.defer("archive").order_by("-number")
    if viewer.is_staff:
        return versions
    # The account of the publisher may be deleted. The history of the workspace still has those files.
    from_here = Q(by__isnull=False) | Q(content_hash__in=workspace.revisions.values("content_hash"))
    return versions.filter(from_here, origin=Origin.AUTHOR)
