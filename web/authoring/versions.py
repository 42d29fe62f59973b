"""The content of the pages of versions: differences from the live version, and possible verdict changes.

The pages include only versions that were published from the workspace. A problem of the site may have the
same name, and only staff may see its versions.
"""

from dataclasses import dataclass

from django.db.models import QuerySet

from problems.archive import unpack
from problems.faults import PackageInvalid
from problems.schema import Problem
from web.authoring import queries
from web.authoring.differing import FileDifference, differences
from web.authoring.folders import load
from web.authoring.models import ProofRun, Workspace
from web.authoring.version_rights import readable_versions
from web.catalog.models import Problem as Row
from web.catalog.queries import Viewer
from web.packages.models import PackageVersion
from web.packages.queries import read_archive
from web.packages.services import load as load_package
from web.site.paging import first_rows

_PARTS = (
    ("arguments", "signature and tolerances"),
    ("cases", "cases"),
    ("limits", "limits"),
    ("reference", "generator and reference"),
    ("languages", "languages"),
    ("bytes_moved", "bytes formula"),
    ("operations", "operations formula"),
    ("beatable", "beatable formulas"),
    ("checker", "checker"),
    ("under_test", "programs under test"),
)


@dataclass(frozen=True, slots=True)
class Publishing:
    """The files to publish, compared with the live version. `proof` is a proof of these files that holds.

    `frozen` is the version with exactly these files, if there is one. `taken`: a problem with this name
    exists that was not published from here. `shown`: learners see it. `versions` and `archived` are pages;
    `older` and `older_archived` are the positions of the next ones, None at the end.
    """

    live: PackageVersion | None
    frozen: PackageVersion | None
    taken: bool
    shown: bool
    same: bool
    proof: ProofRun | None
    faulty: bool
    judged_parts: tuple[str, ...]
    judged_differently: bool
    differences: tuple[FileDifference, ...]
    versions: tuple[PackageVersion, ...]
    older: int | None
    archived: tuple[PackageVersion, ...]
    older_archived: int | None
    affected: int


def publishing(
    workspace: Workspace, viewer: Viewer, *, before: int | None = None, archived_before: int | None = None
) -> Publishing:
    """Return the content of the page of publishing, with the versions before those numbers."""
    readable = readable_versions(viewer, workspace)
    problem = Row.objects.filter(slug=workspace.slug).first()
    live = readable.filter(live_of=problem).first() if problem else None
    revision = queries.present_revision(workspace)
    content_hash = revision.content_hash if revision else ""
    try:
        package: Problem | None = load(workspace)
    except PackageInvalid:
        package = None
    published = files_of(live) if live else {}
    now = queries.read(workspace)
    versions, older = _page(readable.filter(archived=False), before)
    archived, older_archived = _page(readable.filter(archived=True), archived_before)
    differently = bool(live and package and package.version != live.version)
    return Publishing(
        live=live,
        frozen=readable.filter(content_hash=content_hash).first(),
        taken=bool(problem and problem.package_id and live is None),
        shown=bool(live and problem and problem.published),
        same=bool(live and live.content_hash == content_hash),
        proof=queries.holding_proof(workspace, content_hash),
        faulty=package is None,
        judged_parts=_judged_parts(live, package) if live and package and differently else (),
        judged_differently=differently,
        differences=differences(published, now) if live else (),
        versions=versions,
        older=older,
        archived=archived,
        older_archived=older_archived,
        affected=_judged_before(problem, package) if live and problem and package else 0,
    )


def _page(
    found: QuerySet[PackageVersion], before: int | None
) -> tuple[tuple[PackageVersion, ...], int | None]:
    rows, more = first_rows(found if before is None else found.filter(number__lt=before))
    return tuple(rows), rows[-1].number if more else None


def files_of(version: PackageVersion) -> dict[str, bytes]:
    """Return the files of a version by path."""
    return dict(unpack(read_archive(version), slug=version.problem.slug).files)


def version_of(workspace: Workspace, viewer: Viewer, number: int) -> PackageVersion | None:
    """Return the version with that number, or None.

    It must be published from this workspace, and `viewer` must be allowed to read it.
    """
    return readable_versions(viewer, workspace).filter(number=number).first()


def judged_parts(old: PackageVersion, new: PackageVersion) -> tuple[str, ...]:
    """Return the parts that differ between two versions and can change a verdict, in words."""
    if old.version == new.version:
        return ()
    package = load_package(unpack(read_archive(new), slug=new.problem.slug))
    return _judged_parts(old, package)


def _judged_parts(old: PackageVersion, new: Problem) -> tuple[str, ...]:
    before = load_package(unpack(read_archive(old), slug=old.problem.slug))
    return tuple(words for name, words in _PARTS if getattr(before, name, None) != getattr(new, name, None))


def _judged_before(problem: Row, package: Problem) -> int:
    """Return the number of submissions that another version judged."""
    judged = problem.submissions.filter(mode="submit", report__isnull=False)
    return judged.exclude(report__version=package.version).count()
