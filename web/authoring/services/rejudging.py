"""Shows what a frozen version would change before it goes live: verdicts and ranks of submissions.

Theory of operation. The problem's submissions that another version judged are judged by the new one out of
sight, when nothing else waits. Whoever publishes sees what would change, and applies or discards it. Applying
makes the version live first, so that the site never shows verdicts of a version that nobody can see.
"""

from django.db import transaction
from django.db.models import Q, QuerySet

from problems.vocabulary import Mode
from web.accounts.models import User
from web.authoring.models import Workspace
from web.authoring.services.publishing import PublishingRefused, go_live
from web.packages.models import PackageVersion
from web.staff import rejudging
from web.staff.models import TEXT_CHARACTERS, Rejudge, RejudgeState
from web.submissions.models import Status, Submission


def affected(version: PackageVersion) -> QuerySet[Submission]:
    """The judged submissions of the problem whose verdicts may differ by `version`."""
    return Submission.objects.filter(
        ~Q(report__version=version.version),
        problem=version.problem_id,
        mode=Mode.SUBMIT.value,
        job__status=Status.DONE,
        report__isnull=False,
    )


def preview(version: PackageVersion, by: User) -> Rejudge:
    """Have the affected submissions judged by `version` out of sight.

    Raises:
        PublishingRefused: there is none, there are too many, or a preview of it is there already.
    """
    if open_rejudge(version) is not None:
        raise PublishingRefused("A preview of this version is there already; answer it first.")
    slug = version.problem.slug
    try:
        return rejudging.start(
            by,
            affected(version),
            reason=f"Version {version.number} of {slug}"[:TEXT_CHARACTERS],
            chosen={"problem": slug, "by version": str(version.number)},
            package=version,
        )
    except rejudging.RejudgeRefused as refusal:
        raise PublishingRefused(str(refusal)) from refusal


def apply(workspace: Workspace, rejudge: Rejudge, by: User) -> bool:
    """Make the version of `rejudge` live, and what it found visible. False when it is not ready."""
    with transaction.atomic():
        locked = Rejudge.objects.select_for_update().get(pk=rejudge.pk)
        if locked.state != RejudgeState.READY or locked.package is None:
            return False
        go_live(workspace, by, locked.package)
    return rejudging.apply(rejudge, by)


def open_rejudge(version: PackageVersion) -> Rejudge | None:
    """The preview of `version` that runs, or waits for an answer."""
    states = [RejudgeState.RUNNING, RejudgeState.READY, RejudgeState.APPLYING]
    return version.rejudges.filter(state__in=states).first()
