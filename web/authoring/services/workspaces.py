"""Makes workspaces, clones, archives and deletes them; what is put away or deleted is in the audit log.

WorkspaceRefused
+-- SlugTaken             a problem or a workspace of that name is there already
+-- SlugMalformed         it is no name of a problem
+-- TooManyWorkspaces     they own as many as one may
+-- StillPublished        it cannot be deleted, since learners have what it published
+-- StillPreviewed        it cannot be archived, since a preview of a version of it is not answered
"""

from collections.abc import Mapping

from django.db import IntegrityError, transaction

from problems.contents import is_slug
from web.accounts.models import User
from web.audit.models import AuditKind
from web.audit.services import log
from web.authoring import queries
from web.authoring.models import Workspace, WorkspaceState
from web.authoring.services import files, quota
from web.catalog.models import Problem
from web.packages import services as packages
from web.rejudges.models import UNANSWERED, Rejudge

_ADDRESSES = {"new", "import"}  # of pages beside those of workspaces


class WorkspaceRefused(Exception):
    """Root of the reasons for which a workspace is not made or changed. The message is for its author."""


class SlugTaken(WorkspaceRefused):
    """Raised when a problem or a workspace of that name is there already."""


class SlugMalformed(WorkspaceRefused):
    """Raised when a name is none that a problem may have."""


class TooManyWorkspaces(WorkspaceRefused):
    """Raised when somebody owns as many workspaces as one may, archived ones too."""


class StillPublished(WorkspaceRefused):
    """Raised when a workspace cannot be deleted, since it published versions."""


class StillPreviewed(WorkspaceRefused):
    """Raised when a workspace cannot be archived, since a preview of a version is not answered."""


@transaction.atomic
def create(by: User, slug: str, content: Mapping[str, bytes], *, note: str = "Created") -> Workspace:
    """A workspace of `by` with the files in `content`.

    A name that a problem of the site has already is for staff alone, who then write its next version.

    Raises:
        WorkspaceRefused: see the tree above.
        web.authoring.services.files.FilesRefused: the files are none of a package.
    """
    if not is_slug(slug) or slug in _ADDRESSES:
        raise SlugMalformed("The name must be lowercase words joined by hyphens, such as vector-add.")
    if not quota.may_own_another(by):
        raise TooManyWorkspaces(
            f"You own {quota.MAX_WORKSPACES_OF_PERSON} problems, which is all you may. Delete one first."
        )
    known = Problem.objects.filter(slug=slug).exists() and not by.is_staff
    if known or Workspace.objects.filter(slug=slug).exists():
        raise SlugTaken(f"A problem named {slug} already exists. Choose another name.")
    try:
        with transaction.atomic():
            workspace = Workspace.objects.create(slug=slug, owner=by)
    except IntegrityError as error:  # somebody else got there first
        raise SlugTaken(f"A problem named {slug} already exists. Choose another name.") from error
    files.write(workspace, by, 0, dict(content), note)
    return workspace


def clone(workspace: Workspace, by: User, slug: str) -> Workspace:
    """A workspace of `by` with the files of another, and nothing else of it.

    Raises:
        WorkspaceRefused: see the tree above.
    """
    return create(by, slug, queries.read(workspace), note=f"Cloned from {workspace.slug}")


@transaction.atomic
def archive(workspace: Workspace, by: User) -> None:
    """Put it away: nobody writes in it until it is taken back. What it published stays with learners.

    Raises:
        StillPreviewed: see above; nobody could answer it afterwards.
    """
    unanswered = Rejudge.objects.filter(package__problem__slug=workspace.slug, state__in=UNANSWERED).first()
    if unanswered is not None:
        what = f"A preview of {unanswered.package} is running or waiting for your decision"
        raise StillPreviewed(f"{what}. Apply, discard or cancel it first.")
    _move(workspace, WorkspaceState.ARCHIVED)
    log(by, AuditKind.WORKSPACE_ARCHIVE, workspace)


@transaction.atomic
def take_back(workspace: Workspace, by: User) -> None:
    """Make an archived workspace what it was."""
    present = queries.present_revision(workspace)
    _move(workspace, queries.standing(workspace, present.content_hash) if present else WorkspaceState.DRAFT)
    log(by, AuditKind.WORKSPACE_RETURN, workspace)


@transaction.atomic
def delete(workspace: Workspace, by: User) -> None:
    """Delete a workspace that never published anything, with its history and what it froze.

    Raises:
        StillPublished: it did; archive it instead.
    """
    locked = Workspace.objects.select_for_update().get(pk=workspace.pk)
    if locked.published_hash:
        raise StillPublished(f"{locked.slug} was published and can't be deleted. Archive it instead.")
    log(by, AuditKind.WORKSPACE_DELETE, locked)
    discard(locked)


@transaction.atomic
def discard(workspace: Workspace) -> None:
    """Delete a workspace that learners have nothing of, as when its owner leaves: that is not noted."""
    packages.forget(workspace.slug)  # the name is free again
    workspace.files.all().delete()  # before their contents, which they protect
    workspace.delete()


def _move(workspace: Workspace, state: WorkspaceState) -> None:
    Workspace.objects.filter(pk=workspace.pk).update(state=state)
    workspace.state = state
