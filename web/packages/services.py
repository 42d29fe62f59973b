"""Writes of versions: freeze a package, make it live, load the folders of the site.

Theory of operation. A package comes from a folder of the site or from an author. `freeze` checks it, packs it
and gives it the next number. `go_live` makes the problem refer to it and updates the catalogue. Freezing the
same files twice gives one version. The problem's row is the lock for both, so numbers have no gaps and two
authors do not interfere.

An author's version stays live when the site's folders are loaded again: a deployment does not undo what an
instructor published. The operator of the site can override this.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Max, ProtectedError, Q

from problems import schema
from problems.archive import pack, unpack
from problems.contents import DESCRIPTION, Contents, ContentsInvalid, as_folder, read_folder
from problems.faults import Faults, PackageInvalid
from problems.loader import load_problem
from web.accounts.models import User
from web.audit.models import AuditEntry, AuditKind
from web.audit.services import log
from web.catalog.models import Problem
from web.packages import catalogue as catalog
from web.packages.mistakes import Mistake, known_mistakes, patterns_of_proof, patterns_of_receipt
from web.packages.models import NOTE_CHARACTERS, Origin, PackageVersion


class PublishRefused(Exception):
    """Raised if the user may not show the problem. The message is for the user."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of loading the site's folders, as slugs, and the errors of omitted folders."""

    sound: tuple[str, ...]
    created: tuple[str, ...]
    updated: tuple[str, ...]
    kept: tuple[str, ...]
    unpublished: tuple[str, ...]
    faults: tuple[str, ...]


def publish(slug: str, archive: bytes, by: User | None, note: str = "") -> PackageVersion:
    """Freeze the package in `archive` as a version of the problem `slug`, and make it live.

    The caller has checked that a proof holds for it, and that `by` may publish it under this name.

    Raises:
        problems.contents.ContentsInvalid: it is not an archive of a package.
        problems.faults.PackageInvalid: with every fault of the package.
    """
    with transaction.atomic():
        version = freeze(slug, archive, by, note)
        go_live(version, by)
    return version


def freeze(
    slug: str, archive: bytes, by: User | None, note: str = "", *, proof: Mapping[str, Any] | None = None
) -> PackageVersion:
    """Store the package in `archive` as a version of the problem `slug`, without making it live.

    A new problem stays hidden until a version of it goes live. If the same files were frozen before, return
    that version. `proof` is the stored form of a proof of exactly these files. Its wrong solutions become
    known mistakes.

    Raises:
        problems.contents.ContentsInvalid: it is not an archive of a package.
        problems.faults.PackageInvalid: with every fault of the package.
    """
    contents = unpack(archive, slug=slug)
    package = load(contents)
    version = _freeze(contents, package, origin=Origin.AUTHOR, by=by, note=note)
    if proof is not None:
        _learn(version, known_mistakes(package, contents, patterns_of_proof(proof)))
    return version


def go_live(version: PackageVersion, by: User | None) -> bool:
    """Make `version` the live version of the problem. Return False if it is live already.

    Submissions that wait keep the version that was live when they were submitted. A problem's first version
    makes the problem visible to users; later ones keep the choice of staff.
    """
    package = load(unpack(bytes(version.archive), slug=version.problem.slug))
    with transaction.atomic():
        problem = _locked(version.problem_id)
        before = problem.package_id
        first = before is None and version.origin == Origin.AUTHOR
        if version.archived:
            PackageVersion.objects.filter(pk=version.pk).update(archived=False)
        catalog.show(problem, package, version, publish=first)
        if before == version.pk:
            return False
        log(by, AuditKind.PUBLISH, problem, version=version.number, note=version.note)
    return True


@transaction.atomic
def set_archived(version: PackageVersion, by: User | None, *, archived: bool) -> bool:
    """Archive or restore `version`. Return False if it is live: make another one live first.

    Submissions that it judged, and their boards, do not change.
    """
    problem = _locked(version.problem_id)
    if archived and problem.package_id == version.pk:
        return False
    if PackageVersion.objects.filter(pk=version.pk, archived=not archived).update(archived=archived):
        kind = AuditKind.VERSION_ARCHIVE if archived else AuditKind.VERSION_RETURN
        log(by, kind, problem, version=version.number)
    return True


@transaction.atomic
def withdraw(problem: Problem, by: User | None) -> bool:
    """Hide a problem from learners, with all its versions. Return False if it is hidden.

    Learners keep their submissions, and running ones are judged to the end.
    """
    _locked(problem.pk)
    if not Problem.objects.filter(pk=problem.pk, published=True).update(published=False):
        return False
    log(by, AuditKind.WITHDRAW, problem)
    return True


@transaction.atomic
def allow_personal_nodes(problem: Problem, by: User, *, allowed: bool) -> bool:
    """Allow or forbid runs on personal nodes, which get the reference. Return False if nothing changes."""
    others = Problem.objects.filter(pk=problem.pk, on_personal_nodes=not allowed)
    if not others.update(on_personal_nodes=allowed):
        return False
    log(by, AuditKind.CHANGE, problem, on_personal_nodes=allowed)
    return True


@transaction.atomic
def show_again(problem: Problem, by: User) -> bool:
    """Show a withdrawn problem. Return False if it has no live version, or is visible.

    Raises:
        PublishRefused: another user withdrew it, and `by` is not staff.
    """
    locked = _locked(problem.pk)
    if locked.published or locked.package_id is None:
        return False
    withdrawn = AuditEntry.objects.filter(
        kind=AuditKind.WITHDRAW, target_kind="problem", target_id=str(problem.pk)
    )
    last = withdrawn.first()
    if not by.is_staff and (last is None or last.actor_id != by.pk):
        raise PublishRefused("Staff hid this problem from learners. Ask them to restore it.")
    Problem.objects.filter(pk=problem.pk).update(published=True)
    log(by, AuditKind.SHOW, problem)
    return True


@transaction.atomic
def forget(slug: str) -> bool:
    """Delete a problem that never went live, with its versions.

    Return False if there is no such problem, or a version of it went live.
    """
    unseen = Problem.objects.filter(slug=slug, package=None, published=False, submissions=None)
    problem = unseen.exclude(versions__origin=Origin.SITE).first()
    if problem is None:
        return False
    try:
        problem.delete()
    except ProtectedError:  # staff have added it to a track in the meantime
        return False
    return True


def load(contents: Contents) -> schema.Problem:
    """Return the problem in `contents`. The files that its paths name are deleted.

    Raises:
        problems.contents.ContentsInvalid: it may not be written to a disk.
        problems.faults.PackageInvalid: with every fault of the package.
    """
    with as_folder(contents) as folder:
        return load_problem(folder)


def load_site(root: Path, *, publish: bool = True, replace: Collection[str] = ()) -> Loaded:
    """Freeze versions from the folders below `root`, and update the catalogue.

    New problems are published if `publish`. Problems of the site whose folder is missing or broken are
    unpublished until a sound folder is loaded. An author's live version stays live, except for the slugs in
    `replace`.
    """
    found: dict[str, list[str]] = {"sound": [], "created": [], "updated": [], "kept": [], "faults": []}
    for description in sorted(root.glob(f"*/{DESCRIPTION}")):
        try:
            contents = read_folder(description.parent)
            package = load(contents)
        except PackageInvalid as error:
            found["faults"].extend(error.faults)
        except (ContentsInvalid, OSError) as error:
            broken = Faults(description.parent.name)
            broken.add("", "", str(error))
            found["faults"].extend(broken.texts)
        else:
            found["sound"].append(package.slug)
            mistakes = known_mistakes(package, contents, patterns_of_receipt(root, contents))
            what = _load_folder(contents, package, mistakes, publish=publish, replace=package.slug in replace)
            if what:
                found[what].append(package.slug)
    authored = Problem.objects.filter(package__origin=Origin.AUTHOR).values_list("slug", flat=True)
    unpublished = catalog.hide_all_but({*found["sound"], *authored})
    return Loaded(unpublished=unpublished, **{name: tuple(slugs) for name, slugs in found.items()})


@transaction.atomic
def _load_folder(
    contents: Contents,
    package: schema.Problem,
    mistakes: Sequence[Mistake],
    *,
    publish: bool,
    replace: bool,
) -> str:
    """Return the change as the name of a list of `Loaded`; empty if nothing changed.

    A problem of which an author only froze versions is new: learners have never seen it.
    """
    frozen_only = Q(package=None, versions__isnull=False)
    new = not Problem.objects.filter(slug=package.slug).exclude(frozen_only).exists()
    version = _freeze(contents, package, origin=Origin.SITE, by=None, note="")
    _learn(version, mistakes)
    problem = _locked(version.problem_id)
    shown = catalog.show_unloaded(problem)
    live = problem.package
    if live and live.origin == Origin.AUTHOR and not replace:
        return "" if live == version else "kept"
    if version.origin != Origin.SITE:  # an author froze the same files before: they belong to the site now
        version.origin = Origin.SITE
        version.save(update_fields=["origin"])
    changed = catalog.show(problem, package, version, publish=new and publish)
    if new:
        return "created"
    return "updated" if changed or shown else ""


@transaction.atomic
def _freeze(
    contents: Contents, package: schema.Problem, *, origin: Origin, by: User | None, note: str
) -> PackageVersion:
    problem = _locked(catalog.enter(package).pk)
    same = problem.versions.defer("archive").filter(content_hash=contents.content_hash).first()
    if same is not None:
        if same.version != package.version:  # a newer release hashes more parts
            PackageVersion.objects.filter(pk=same.pk).update(version=package.version)
            same.version = package.version
        return same
    packed = pack(contents)
    last = problem.versions.aggregate(last=Max("number"))["last"] or 0
    return PackageVersion.objects.create(
        problem=problem,
        number=last + 1,
        content_hash=contents.content_hash,
        version=package.version,
        archive=packed,
        size_bytes=len(packed),
        origin=origin,
        by=by,
        note=note[:NOTE_CHARACTERS],
    )


def _learn(version: PackageVersion, mistakes: Sequence[Mistake]) -> None:
    """Store the known mistakes of `version`, unless there are none: a later proof may tell less."""
    if mistakes:
        bodies = [mistake.to_json() for mistake in mistakes]
        PackageVersion.objects.filter(pk=version.pk).exclude(mistakes=bodies).update(mistakes=bodies)


def _locked(problem_id: int) -> Problem:
    return Problem.objects.select_for_update().get(pk=problem_id)
