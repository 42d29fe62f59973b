"""Publishes versions of a workspace. A version is frozen first, and goes live when its author decides.

Theory of operation. Only files with a proof that holds are frozen, byte by byte, under the hash that the
proof names. Members can view, compare and preview a frozen version. For a preview, `web.rejudges.rejudging`
rejudges the submissions of other versions without changing visible verdicts. Learners get a version when it
goes live, either at once or together with the verdicts of a preview. Only then is the workspace `published`.
`web.packages.services` freezes versions, makes them live, and writes the audit log.

Two users may publish at the same time. A preview compares with the version that was live when it began. If
another version went live since, applying the preview would undo that. It is therefore refused, and the author
must start a new preview.

A problem belongs to the source of its live version, or of its first version if none is live. The site may
ship a problem with the name of a workspace later. From then on, only staff publish from that workspace.

PublishingRefused         for example, the problems of the owner have reached the maximum size
+-- NotProved             no proof of exactly these files holds
+-- NotFromHere           the version was not frozen from this workspace
+-- NameTaken             the problem with this name is or will be the site's, or the operator imported it
+-- NotOnPersonalNodes    personal nodes cannot run the problem without its hidden parts
+-- NothingToPreview      no submission was judged by another version, or a preview is already running
+-- TooManyPreviews       the problem has reached the maximum number of previews in a day
+-- Overtaken             another version went live since the preview began
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.timesince import timeuntil

from problems.archive import pack
from problems.contents import Contents, ContentsInvalid
from problems.faults import PackageInvalid
from problems.vocabulary import Mode
from web.accounts.models import User
from web.authoring import queries
from web.authoring.models import Workspace
from web.authoring.services.files import NoRoom, pin, require_room
from web.authoring.version_rights import readable_versions
from web.catalog.models import Problem
from web.jobs.models import JobState
from web.packages import services as packages
from web.packages.models import PackageVersion
from web.packages.queries import live_version
from web.rejudges import rejudging
from web.rejudges.models import UNANSWERED, Rejudge, RejudgeState
from web.submissions.models import Submission
from web.tracks.queries import is_planned

MAX_PREVIEWS_PER_DAY = 10  # of a problem; each may rejudge 5,000 submissions
_DAY = timedelta(days=1)
_COPY_IT = "Copy this problem under another name and publish the copy."


class PublishingRefused(Exception):
    """Root of the reasons for refusing to publish. The message is for the author."""


class NotProved(PublishingRefused):
    """Raised when no proof of exactly these files holds."""


class NotFromHere(PublishingRefused):
    """Raised when a version was not frozen from this workspace, but came with the site or another problem."""


class NameTaken(PublishingRefused):
    """Raised when another problem has the name of the workspace. Publishing would replace it for learners."""


class NotOnPersonalNodes(PublishingRefused):
    """Raised when personal nodes cannot run the problem without its hidden parts."""


class Overtaken(PublishingRefused):
    """Raised when another version went live since a preview began."""


class NothingToPreview(PublishingRefused):
    """Raised when other versions judged no submissions or too many, or when a preview is already running."""


class TooManyPreviews(PublishingRefused):
    """Raised when the problem has reached the maximum number of previews in a day."""


@transaction.atomic
def freeze(workspace: Workspace, by: User, *, note: str = "") -> PackageVersion:
    """Freeze the current files and return the version. Learners do not get it yet.

    If the same files were frozen before, that version is returned. The caller has checked with `rights` that
    `by` may publish.

    Raises:
        PublishingRefused: see the tree above.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    _require_name(locked, by)
    revision = queries.present_revision(locked)
    run = queries.holding_proof(locked, revision.content_hash) if revision else None
    if revision is None or run is None:
        raise NotProved("These files have not passed a proof yet. Prove them first.")
    try:
        archive = pack(Contents(locked.slug, queries.read(locked)))
        if not readable_versions(by, locked).filter(content_hash=revision.content_hash).exists():
            require_room(locked.owner, len(archive))
        version = packages.freeze(locked.slug, archive, by, note, proof=run.report)
    except (ContentsInvalid, PackageInvalid, NoRoom) as error:
        raise PublishingRefused(str(error)) from error
    pin(revision)
    return version


@transaction.atomic
def go_live(workspace: Workspace, version: PackageVersion, by: User) -> bool:
    """Give learners `version`, which is a version of this problem. Return False if it is already live.

    Older versions may go live again. Their proofs were checked when they were frozen.

    Raises:
        NotFromHere: see above.
        NameTaken: see above.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    _require_from_here(locked, version, by)
    _require_name(locked, by)
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
    """Hide a version from the list, or show it again. Its verdicts stay unchanged.

    Raises:
        NotFromHere: see above.
        PublishingRefused: it is live.
    """
    _require_from_here(workspace, version, by)
    if not packages.set_archived(version, by, archived=archived):
        raise PublishingRefused(f"{str(version).capitalize()} is live. Make another version live first.")


@transaction.atomic
def withdraw(workspace: Workspace, by: User) -> bool:
    """Hide the problem of this workspace from learners. Return False if it is already hidden.

    Raises:
        NotFromHere: see above.
    """
    live = live_version(workspace.slug)
    if live is None:
        return False
    _require_from_here(workspace, live, by)
    return packages.withdraw(live.problem, by)


@transaction.atomic
def allow_personal_nodes(workspace: Workspace, by: User, *, allowed: bool) -> bool:
    """Allow or forbid runs on personal nodes. Return False if nothing changes or nothing is published.

    Raises:
        NotFromHere: see above.
        NotOnPersonalNodes: submissions are tests of programs that learners must not see.
    """
    live = live_version(workspace.slug)
    if live is None:
        return False
    _require_from_here(workspace, live, by)
    if allowed and live.problem.asks_for_tests:
        raise NotOnPersonalNodes(
            "Personal nodes cannot run this problem: they would get the programs under test."
        )
    return packages.allow_personal_nodes(live.problem, by, allowed=allowed)


@transaction.atomic
def show_again(workspace: Workspace, by: User) -> bool:
    """Show learners a withdrawn problem again. Return False if it is visible, or was never published.

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
    """Freeze the current files and give them to learners at once. Return the version.

    Raises:
        PublishingRefused: see `freeze`.
    """
    version = freeze(workspace, by, note=note)
    go_live(workspace, version, by)
    return version


def affected(version: PackageVersion) -> QuerySet[Submission]:
    """Return the judged submissions with a verdict from other judging files than those of `version`."""
    judged = Submission.objects.filter(
        problem=version.problem_id, mode=Mode.SUBMIT.value, job__state=JobState.DONE, report__isnull=False
    )
    return judged.exclude(report__version=version.version)


def previews(workspace: Workspace, viewer: User) -> QuerySet[Rejudge]:
    """Return the previews of versions that were published from this workspace, latest first."""
    rejudges = Rejudge.objects.select_related("creator", "package__problem").defer("package__archive")
    return rejudges.filter(package__in=readable_versions(viewer, workspace).order_by())


def open_rejudge(version: PackageVersion) -> Rejudge | None:
    """Return the preview of `version` that runs or waits for a decision, or None."""
    return Rejudge.objects.filter(package=version, state__in=UNANSWERED).first()


@transaction.atomic
def preview(workspace: Workspace, version: PackageVersion, by: User) -> Rejudge:
    """Start a hidden rejudge of all submissions that `version` affects. Visible verdicts do not change.

    `version` may be the live one, if submissions to earlier versions kept their verdicts.

    Raises:
        NotFromHere: see above.
        NameTaken: see above.
        NothingToPreview: see above.
        TooManyPreviews: see above. Staff have no maximum.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    _require_from_here(locked, version, by)
    _require_name(locked, by)
    if open_rejudge(version) is not None:
        raise NothingToPreview(f"A preview of {version} is running or waiting for your decision.")
    if not affected(version).exists():
        raise NothingToPreview("No submissions were judged by another version, so nothing would change.")
    if not by.is_staff:
        _require_few_previews(locked.slug)
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
    """Return the version that went live since `rejudge` began, or None if there is none or it was decided."""
    package, against = rejudge.package, rejudge.chosen.get("against")
    live = live_version(package.problem.slug) if package and rejudge.state in UNANSWERED else None
    if package is None or live is None or against is None:
        return None
    return None if live.number in {against, package.number} else live


@transaction.atomic
def apply(workspace: Workspace, rejudge: Rejudge, by: User) -> bool:
    """Make the version of the preview `rejudge` live with its verdicts. Return False if it is not ready.

    Raises:
        NotFromHere: see above.
        NameTaken: see above.
        Overtaken: see above.
    """
    # Lock in the same order as everywhere else: the workspace first, then its rows.
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    locked = (
        Rejudge.objects.select_for_update(of=("self",)).select_related("package__problem").get(pk=rejudge.pk)
    )
    if locked.state != RejudgeState.READY or locked.package is None:
        return False
    if live := overtaken_by(locked):
        what = f"{str(live).capitalize()} went live after this preview started."
        raise Overtaken(f"{what} Discard the preview and start a new one.")
    go_live(workspace, locked.package, by)
    return rejudging.apply(locked, by)


def _require_from_here(workspace: Workspace, version: PackageVersion, by: User) -> None:
    if not readable_versions(by, workspace).filter(pk=version.pk).exists():
        raise NotFromHere(f"{str(version).capitalize()} was not published from {workspace.slug}.")


def _require_few_previews(slug: str) -> None:
    started = Rejudge.objects.filter(package__problem__slug=slug, created__gt=timezone.now() - _DAY)
    latest = started.order_by("-created").values_list("created", flat=True)
    oldest = latest[MAX_PREVIEWS_PER_DAY - 1 : MAX_PREVIEWS_PER_DAY].first()
    if oldest is not None:
        raise TooManyPreviews(
            f"This problem has reached the maximum of {MAX_PREVIEWS_PER_DAY} previews in 24 hours. "
            f"You can start another one in {timeuntil(oldest + _DAY, depth=1)}, or publish without a preview."
        )


def _require_name(workspace: Workspace, by: User) -> None:
    """Raise NameTaken if another problem has or will have the name of `workspace`, and `by` is not staff."""
    if by.is_staff:
        return
    slug = workspace.slug
    live = live_version(slug)
    if live is None and is_planned(slug):
        raise NameTaken(f"A track of this site plans a problem named {slug}. {_COPY_IT}")
    if not Problem.objects.filter(slug=slug).exists():
        return
    versions = PackageVersion.objects.filter(problem__slug=slug).defer("archive").order_by("number")
    decisive = live or versions.first()
    if decisive is None or not readable_versions(by, workspace).filter(pk=decisive.pk).exists():
        raise NameTaken(f"Another problem took the name {slug}. {_COPY_IT}")
