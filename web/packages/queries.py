"""Reads of versions. None loads an archive but those that say so."""

from django.db.models import QuerySet

from web.catalog.models import Problem
from web.packages.models import PackageVersion


def list_versions(problem: Problem, *, archived: bool = False) -> QuerySet[PackageVersion]:
    """The versions of `problem`, latest first, without their archives."""
    versions = problem.versions.select_related("by").defer("archive")
    return versions if archived else versions.filter(archived=False)


def find_version(slug: str, number: int) -> PackageVersion | None:
    """A version of the problem `slug`, without its archive."""
    versions = PackageVersion.objects.select_related("problem", "by").defer("archive")
    return versions.filter(problem__slug=slug, number=number).first()


def live_version(slug: str) -> PackageVersion | None:
    """The version of the problem `slug` that is live, without its archive; None before any was loaded."""
    return (
        PackageVersion.objects.select_related("problem").defer("archive").filter(live_of__slug=slug).first()
    )


def read_archive(version: PackageVersion) -> bytes:
    """The ZIP file of `version`, which is its folder."""
    return bytes(PackageVersion.objects.values_list("archive", flat=True).get(pk=version.pk))
