"""Makes versions of what a workspace says: frozen first, live when its author says so.

Theory of operation. Only files for which a proof holds are frozen, byte by byte, under the hash that the
proof names. What is frozen may be looked at, compared, and previewed: `web.staff.rejudging` judges what other
versions judged again, out of sight. Learners get a version when it goes live, at once or together with the
verdicts of a preview, and only then is the workspace `published`. `web.packages.services` freezes and makes
live, and notes it in the audit log.

PublishingRefused
+-- NotProved             no proof of exactly these files holds
+-- NothingToPreview      no submission was judged by another version, or a preview is under way
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
from web.packages import services as packages
from web.packages.models import PackageVersion
from web.staff import rejudging
from web.staff.models import Rejudge, RejudgeState
from web.submissions.models import Status, Submission

_OPEN = (RejudgeState.RUNNING, RejudgeState.READY, RejudgeState.APPLYING)


class PublishingRefused(Exception):
    """Root of the reasons for which nothing is published. The message is for its author."""


class NotProved(PublishingRefused):
    """Raised when no proof of exactly these files holds."""


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
        PublishingRefused: it is a version of another problem.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    if version.problem.slug != locked.slug:
        raise PublishingRefused(f"{version} is none of {locked.slug}.")
    changed = packages.go_live(version, by)
    locked.published_hash = version.content_hash
    revision = queries.present_revision(locked)
    if revision is not None:
        locked.state = queries.standing(locked, revision.content_hash)
    locked.save(update_fields=["published_hash", "state"])
    workspace.published_hash, workspace.state = locked.published_hash, locked.state
    return changed


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
        problem=version.problem_id, mode=Mode.SUBMIT.value, job__status=Status.DONE, report__isnull=False
    )
    return judged.exclude(report__version=version.version)


def open_rejudge(version: PackageVersion) -> Rejudge | None:
    """The preview of `version` that runs, or waits for an answer."""
    return Rejudge.objects.filter(package=version, state__in=_OPEN).first()


def preview(version: PackageVersion, by: User) -> Rejudge:
    """Judge again, out of sight, what `version` would change. No visible verdict changes by it.

    Raises:
        NothingToPreview: see above.
    """
    if open_rejudge(version) is not None:
        raise NothingToPreview(f"A preview of {version} is under way or waits for an answer.")
    reason = f"Preview of {version.problem.slug}, {version}"
    try:
        return rejudging.start(
            by,
            affected(version),
            reason=reason,
            chosen={"problem": version.problem.slug, "version": version.number},
            package=version,
        )
    except rejudging.RejudgeRefused as error:
        raise NothingToPreview(str(error)) from error


@transaction.atomic
def apply(workspace: Workspace, rejudge: Rejudge, by: User) -> bool:
    """Give learners the version that `rejudge` previewed, with its verdicts. False when it is not ready."""
    locked = (
        Rejudge.objects.select_for_update(of=("self",)).select_related("package__problem").get(pk=rejudge.pk)
    )
    if locked.state != RejudgeState.READY or locked.package is None:
        return False
    go_live(workspace, locked.package, by)
    return rejudging.apply(locked, by)
