"""Creates, clones, archives and deletes workspaces. Archiving and deleting is in the audit log.

WorkspaceRefused
+-- SlugTaken             a problem, a planned problem or a workspace has this slug already
+-- SlugMalformed         the slug is not valid
+-- TooManyWorkspaces     the user has reached the maximum number of workspaces
+-- StillPublished        it can't be deleted, because learners have a version of it
+-- StillPreviewed        it can't be archived, because a preview of a version waits for a decision
"""

from collections.abc import Mapping

from django.db import IntegrityError, transaction

from problems.contents import is_slug
from web.accounts.models import User
from web.accounts.services import lock_user
from web.audit.models import AuditKind
from web.audit.services import log
from web.authoring import queries
from web.authoring.models import Workspace, WorkspaceState
from web.authoring.services import files, quota
from web.catalog.models import Problem
from web.packages import services as packages
from web.rejudges.models import UNANSWERED, Rejudge
from web.tracks.queries import is_planned

_ADDRESSES = {"new", "import"}  # these would shadow the addresses of other pages


class WorkspaceRefused(Exception):
    """Root of the reasons for refusing to create or change a workspace. The message is for its author."""


class SlugTaken(WorkspaceRefused):
    """Raised when a problem, a planned problem or a workspace has this slug already."""


class SlugMalformed(WorkspaceRefused):
    """Raised when a slug is not valid."""


class TooManyWorkspaces(WorkspaceRefused):
    """Raised when a user has reached the maximum number of workspaces, including archived ones."""


class StillPublished(WorkspaceRefused):
    """Raised when a workspace can't be deleted, because it has published versions."""


class StillPreviewed(WorkspaceRefused):
    """Raised when a workspace can't be archived, because a preview of a version waits for a decision."""


@transaction.atomic
def create(by: User, slug: str, content: Mapping[str, bytes], *, note: str = "Created") -> Workspace:
    """Create a workspace of `by` with the files in `content`, and return it.

    Only staff may use the slug of a problem of the site, or of one that a track of the site plans. They then
    write its next version.

    Raises:
        WorkspaceRefused: see the tree above.
        web.authoring.services.files.FilesRefused: the files are not allowed in a package.
    """
    if not is_slug(slug) or slug in _ADDRESSES:
        raise SlugMalformed("The name must be lowercase words joined by hyphens, such as vector-add.")
    lock_user(by)
    if not quota.may_own_another(by):
        raise TooManyWorkspaces(
            f"You own {quota.MAX_WORKSPACES_OF_PERSON} problems, the maximum. Delete one first."
        )
    if not by.is_staff and is_planned(slug):
        raise SlugTaken(f"A track of this site plans a problem named {slug}. Choose another name.")
    known = Problem.objects.filter(slug=slug).exists() and not by.is_staff
    if known or Workspace.objects.filter(slug=slug).exists():
        raise SlugTaken(f"A problem named {slug} already exists. Choose another name.")
    try:
        with transaction.atomic():
            workspace = Workspace.objects.create(slug=slug, owner=by)
    except IntegrityError as error:  # a concurrent request created it first
        raise SlugTaken(f"A problem named {slug} already exists. Choose another name.") from error
    files.write(workspace, by, 0, dict(content), note)
    return workspace


def clone(workspace: Workspace, by: User, slug: str) -> Workspace:
    """Create a workspace of `by` with the current files of another, and return it. Nothing else is copied.

    Raises:
        WorkspaceRefused: see the tree above.
    """
    return create(by, slug, queries.read(workspace), note=f"Cloned from {workspace.slug}")


@transaction.atomic
def archive(workspace: Workspace, by: User) -> None:
    """Archive a workspace. It is read-only until it is unarchived. Learners keep its published version.

    Raises:
        StillPreviewed: see above; nothing could resolve the preview afterwards.
    """
    unanswered = Rejudge.objects.filter(package__problem__slug=workspace.slug, state__in=UNANSWERED).first()
    if unanswered is not None:
        what = f"A preview of {unanswered.package} is running or waiting for your decision"
        raise StillPreviewed(f"{what}. Apply, discard or cancel it first.")
    _move(workspace, WorkspaceState.ARCHIVED)
    log(by, AuditKind.WORKSPACE_ARCHIVE, workspace)


@transaction.atomic
def take_back(workspace: Workspace, by: User) -> None:
    """Unarchive a workspace. Its new state follows from its current files."""
    present = queries.present_revision(workspace)
    _move(workspace, queries.standing(workspace, present.content_hash) if present else WorkspaceState.DRAFT)
    log(by, AuditKind.WORKSPACE_RETURN, workspace)


@transaction.atomic
def delete(workspace: Workspace, by: User) -> None:
    """Delete a workspace that never published anything, with its history and its frozen versions.

    Raises:
        StillPublished: it has published versions; archive it instead.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    if locked.published_hash:
        raise StillPublished(f"{locked.slug} was published and can't be deleted. Archive it instead.")
    log(by, AuditKind.WORKSPACE_DELETE, locked)
    discard(locked)


@transaction.atomic
def discard(workspace: Workspace) -> None:
    """Delete a workspace without published versions, for example with its owner's account.

    This is not logged.
    """
    packages.forget(workspace.slug)  # frees the slug
    workspace.files.all().delete()  # before their contents, which they protect from deletion
    workspace.delete()


def _move(workspace: Workspace, state: WorkspaceState) -> None:
    Workspace.objects.filter(pk=workspace.pk).update(state=state)
    workspace.state = state
