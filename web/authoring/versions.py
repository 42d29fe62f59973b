"""What the pages of versions show: what differs from the live one, and whether verdicts may.

All of it is narrowed to versions that were published from the workspace: a problem of the site may be
called like one, and its versions have in them what only staff may see.
"""

from dataclasses import dataclass

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
)


@dataclass(frozen=True, slots=True)
class Publishing:
    """What would be published, beside what is live. `proof` is the one that holds for these files.

    `frozen` is the version of these very files, if there is one already. `taken`: learners have a problem of
    this name that was not published from here. `shown`: learners see it.
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
    archived: tuple[PackageVersion, ...]
    affected: int


def publishing(workspace: Workspace, viewer: Viewer) -> Publishing:
    """All that the page of publishing shows."""
    readable = readable_versions(viewer, workspace)
    problem = Row.objects.filter(slug=workspace.slug).first()
    live = readable.filter(live_of=problem).first() if problem else None
    revision = queries.present_revision(workspace)
    content_hash = revision.content_hash if revision else ""
    try:
        package: Problem | None = load(workspace)
    except PackageInvalid:
        package = None
    before = files_of(live) if live else {}
    now = queries.read(workspace)
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
        differences=differences(before, now) if live else (),
        versions=tuple(readable.filter(archived=False)),
        archived=tuple(readable.filter(archived=True)),
        affected=_judged_before(problem, package) if live and problem and package else 0,
    )


def files_of(version: PackageVersion) -> dict[str, bytes]:
    """The files of a version, by path."""
    return dict(unpack(read_archive(version), slug=version.problem.slug).files)


def version_of(workspace: Workspace, viewer: Viewer, number: int) -> PackageVersion | None:
    """A version that was published from this workspace."""
    return readable_versions(viewer, workspace).filter(number=number).first()


def judged_parts(old: PackageVersion, new: PackageVersion) -> tuple[str, ...]:
    """What differs between two versions that can change a verdict, in words."""
    if old.version == new.version:
        return ()
    package = load_package(unpack(read_archive(new), slug=new.problem.slug))
    return _judged_parts(old, package)


def _judged_parts(old: PackageVersion, new: Problem) -> tuple[str, ...]:
    before = load_package(unpack(read_archive(old), slug=old.problem.slug))
    return tuple(words for name, words in _PARTS if getattr(before, name, None) != getattr(new, name, None))


def _judged_before(problem: Row, package: Problem) -> int:
    """How many judged submissions another version judged."""
    judged = problem.submissions.filter(mode="submit", report__isnull=False)
    return judged.exclude(report__version=package.version).count()
