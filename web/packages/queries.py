"""Reads of versions. They load no archives unless they say so."""

from collections.abc import Collection

from web.catalog.models import Problem
from web.packages.models import PackageVersion

HASH_SHOWN = 12


def names_of_versions(problem: Problem, versions: Collection[str]) -> dict[str, str]:
    """Return the names of each hash: `version 2`, `versions 2 and 3`; its prefix if no package is stored."""
    numbers: dict[str, list[int]] = {version: [] for version in versions}
    found = problem.versions.filter(version__in=numbers).order_by("number")
    for version, number in found.values_list("version", "number"):
        numbers[version].append(number)
    return {version: _name(version, known) for version, known in numbers.items()}


def _name(version: str, numbers: list[int]) -> str:
    if not numbers:
        return f"version {version[:HASH_SHOWN]}"
    *others, last = map(str, numbers)
    return f"versions {', '.join(others)} and {last}" if others else f"version {last}"


def find_version(slug: str, number: int) -> PackageVersion | None:
    """Return a version of the problem `slug`, without its archive."""
    versions = PackageVersion.objects.select_related("problem", "by").defer("archive")
    return versions.filter(problem__slug=slug, number=number).first()


def live_version(slug: str) -> PackageVersion | None:
    """Return the live version of the problem `slug`, without its archive; None before the first load."""
    return (
        PackageVersion.objects.select_related("problem").defer("archive").filter(live_of__slug=slug).first()
    )


def read_archive(version: PackageVersion) -> bytes:
    """Return the ZIP file of `version`, which is its folder."""
    return bytes(PackageVersion.objects.values_list("archive", flat=True).get(pk=version.pk))
