"""Makes versions of what a workspace says: frozen first, live when its author says so.

Theory of operation. Only files for which a proof holds are frozen, byte by byte, under the hash that the
proof names. What is frozen may be looked at, compared, and previewed: `web.staff.rejudging` judges what other
versions judged again, out of sight. Learners get a version when it goes live, at once or together with the
verdicts of a preview, and only then is the workspace `published`. `web.packages.services` freezes and makes
live, and notes it in the audit log.

Two people may do so at a time. A preview compares with the version that was live when it began; where another
one went live since, its answer would undo that, so it is refused, and a new preview is to be made.

PublishingRefused
+-- NotProved             no proof of exactly these files holds
+-- NotFromHere           the version was not frozen from this workspace
+-- NothingToPreview      no submission was judged by another version, or a preview is under way
+-- Overtaken             another version went live since the preview began
"""

from django.db import transaction
from django.db.models import QuerySet

from problems.archive import pack
from problems.contents import Contents, ContentsInvalid
from problems.faults import PackageInvalid
from problems.vocabulary import Mode
from web.accounts.models import User
from web.authoring import queries
from web.authoring.models import Workspace
from web.authoring.services.files import pin
from web.jobs.models import JobState
from web.packages import services as packages
from web.packages.models import PackageVersion
from web.packages.queries import live_version
from web.packages.rights import readable_versions
from web.staff import rejudging
from web.staff.models import UNANSWERED, Rejudge, RejudgeState
from web.submissions.models import Submission


class PublishingRefused(Exception):
    """Root of the reasons for which nothing is published. The message is for its author."""


class NotProved(PublishingRefused):
    """Raised when no proof of exactly these files holds."""


class NotFromHere(PublishingRefused):
    """Raised when a version was not frozen from this workspace: it is the site's, or of another problem."""


class Overtaken(PublishingRefused):
    """Raised when another version went live since a preview began."""


class NothingToPreview(PublishingRefused):
    """Raised when no submission was judged by another version, there are too many, or one is under way."""


@transaction.atomic
def freeze(workspace: Workspace, by: User, *, note: str = "") -> PackageVersion:
    """A version of the files as they are now, which learners do not get yet.

    What was frozen before is that version. `by` may publish, which the caller has asked `rights`.

    Raises:
        PublishingRefused: see the tree above; also where the problem is the site's, and `by` is no staff.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    revision = queries.present_revision(locked)
    if revision is None or not queries.holding_proof(locked, revision.content_hash):
        raise NotProved("No proof of these files holds yet. Prove them first.")
    try:
        archive = pack(Contents(locked.slug, queries.read(locked)))
        version = packages.freeze(locked.slug, archive, by, note)
    except (packages.PublishRefused, ContentsInvalid, PackageInvalid) as error:
        raise PublishingRefused(str(error)) from error
    pin(revision)
    return version


@transaction.atomic
def go_live(workspace: Workspace, version: PackageVersion, by: User) -> bool:
    """Give learners `version`, a version of this problem. False when they have it already.

    Older ones may go live again; their proof was seen to when they were frozen.

    Raises:
        NotFromHere: see above.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    _require_from_here(locked, version, by)
    changed = packages.go_live(version, by)
    locked.published_hash = version.content_hash
    revision = queries.present_revision(locked)
    if revision is not None:
        locked.state = queries.standing(locked, revision.content_hash)
    locked.save(update_fields=["published_hash", "state"])
    workspace.published_hash, workspace.state = locked.published_hash, locked.state
    return changed


@transaction.atomic
def archive(workspace: Workspace, version: PackageVersion, by: User, *, archived: bool = True) -> None:
    """Leave a version out of the list, or have it back. What it judged stays as it is.

    Raises:
        NotFromHere: see above.
        PublishingRefused: it is live.
    """
    _require_from_here(workspace, version, by)
    if not packages.set_archived(version, by, archived=archived):
        raise PublishingRefused(f"{str(version).capitalize()} is live; make another one live first.")


@transaction.atomic
def withdraw(workspace: Workspace, by: User) -> bool:
    """Hide from learners what was published from here. False when nothing is shown.

    Raises:
        NotFromHere: see above.
    """
    live = live_version(workspace.slug)
    if live is None:
        return False
    _require_from_here(workspace, live, by)
    return packages.withdraw(live.problem, by)


@transaction.atomic
def show_again(workspace: Workspace, by: User) -> bool:
    """Show learners what was withdrawn. False when it is shown, or nothing was published.

    Raises:
        NotFromHere: see above.
        PublishingRefused: staff withdrew it.
    """
    live = live_version(workspace.slug)
    if live is None:
        return False
    _require_from_here(workspace, live, by)
    try:
        return packages.show_again(live.problem, by)
    except packages.PublishRefused as error:
        raise PublishingRefused(str(error)) from error


@transaction.atomic
def publish(workspace: Workspace, by: User, *, note: str = "") -> PackageVersion:
    """Freeze the files as they are now, and give them to learners at once.

    Raises:
        PublishingRefused: as `freeze` does.
    """
    version = freeze(workspace, by, note=note)
    go_live(workspace, version, by)
    return version


def affected(version: PackageVersion) -> QuerySet[Submission]:
    """The judged submissions that `version` would judge by something else than what judged them."""
    judged = Submission.objects.filter(
        problem=version.problem_id, mode=Mode.SUBMIT.value, job__state=JobState.DONE, report__isnull=False
    )
    return judged.exclude(report__version=version.version)


def previews(workspace: Workspace, viewer: User) -> QuerySet[Rejudge]:
    """The previews of versions that were published from here, latest first."""
    rejudges = Rejudge.objects.select_related("creator", "package__problem").defer("package__archive")
    return rejudges.filter(package__in=readable_versions(viewer, workspace).order_by())


def open_rejudge(version: PackageVersion) -> Rejudge | None:
    """The preview of `version` that runs, or waits for an answer."""
    return Rejudge.objects.filter(package=version, state__in=UNANSWERED).first()


@transaction.atomic
def preview(workspace: Workspace, version: PackageVersion, by: User) -> Rejudge:
    """Judge again, out of sight, what `version` would change. No visible verdict changes by it.

    That may be the live version, where submissions to earlier ones kept their verdicts.

    Raises:
        NotFromHere: see above.
        NothingToPreview: see above.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    _require_from_here(locked, version, by)
    if open_rejudge(version) is not None:
        raise NothingToPreview(f"A preview of {version} is under way or waits for an answer.")
    if not affected(version).exists():
        raise NothingToPreview("No judged submission was judged by another version, so nothing would change.")
    live = live_version(locked.slug)
    chosen = {"problem": locked.slug, "version": version.number, "against": live.number if live else 0}
    try:
        return rejudging.start(
            by,
            affected(version),
            reason=f"Preview of {locked.slug}, {version}",
            chosen=chosen,
            package=version,
        )
    except rejudging.RejudgeRefused as error:
        raise NothingToPreview(str(error)) from error


def overtaken_by(rejudge: Rejudge) -> PackageVersion | None:
    """The version that went live since the preview `rejudge` began, if one did and nobody answered it."""
    package, against = rejudge.package, rejudge.chosen.get("against")
    live = live_version(package.problem.slug) if package and rejudge.state in UNANSWERED else None
    if package is None or live is None or against is None:
        return None
    return None if live.number in {against, package.number} else live


@transaction.atomic
def apply(workspace: Workspace, rejudge: Rejudge, by: User) -> bool:
    """Give learners the version that `rejudge` previewed, with its verdicts. False when it is not ready.

    Raises:
        NotFromHere: see above.
        Overtaken: see above.
    """
    # The same order as everywhere: the workspace, then what belongs to it.
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    locked = (
        Rejudge.objects.select_for_update(of=("self",)).select_related("package__problem").get(pk=rejudge.pk)
    )
    if locked.state != RejudgeState.READY or locked.package is None:
        return False
    if live := overtaken_by(locked):
        what = f"{str(live).capitalize()} went live since this preview began."
        raise Overtaken(f"{what} Discard it, and preview again.")
    go_live(workspace, locked.package, by)
    return rejudging.apply(locked, by)


def _require_from_here(workspace: Workspace, version: PackageVersion, by: User) -> None:
    if not readable_versions(by, workspace).filter(pk=version.pk).exists():
        raise NotFromHere(f"{str(version).capitalize()} was not published from {workspace.slug}.")
