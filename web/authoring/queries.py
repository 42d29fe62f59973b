"""Reads of workspaces. `rights` decides who may read one. Only the lists here filter by user."""

from collections.abc import Mapping

from django.db.models import Exists, OuterRef, Q, QuerySet

from web.accounts.models import User
from web.authoring.models import (
    Comment,
    Membership,
    ProofRun,
    Revision,
    Role,
    RunKind,
    Workspace,
    WorkspaceState,
)
from web.catalog.models import Problem
from web.catalog.queries import Viewer
from web.jobs.models import JobState


class NotText(Exception):
    """Raised when a file requested as text is not text. The message names the file."""


def visible_workspaces(viewer: Viewer) -> QuerySet[Workspace]:
    """Return the workspaces that `viewer` owns or shares, latest first. Staff see all.

    `shown` of each tells whether learners see a problem of that name; see `web.authoring.standing`.
    """
    if not viewer.is_authenticated:
        return Workspace.objects.none()
    shown = Problem.objects.filter(slug=OuterRef("slug"), published=True)
    workspaces = Workspace.objects.select_related("owner").annotate(shown=Exists(shown))
    if viewer.is_staff:
        return workspaces
    shared = Membership.objects.filter(user=viewer.pk).values("workspace")
    return workspaces.filter(Q(owner=viewer.pk) | Q(pk__in=shared))


def own_workspaces(viewer: Viewer) -> QuerySet[Workspace]:
    """Return the workspaces that `viewer` owns."""
    return visible_workspaces(viewer).filter(owner=viewer.pk)


def shared_workspaces(viewer: Viewer) -> QuerySet[Workspace]:
    """Return the workspaces of others that `viewer` may see: shared ones, and for staff all others too."""
    return visible_workspaces(viewer).exclude(owner=viewer.pk)


def shares_any(viewer: User) -> bool:
    """Return whether `viewer` is a member of another user's problem."""
    return Membership.objects.filter(user=viewer.pk).exists()


def find_workspace(viewer: Viewer, slug: str) -> Workspace | None:
    """Return the workspace with that slug, or None if `viewer` may not see it."""
    return visible_workspaces(viewer).filter(slug=slug).first()


def role_of(viewer: Viewer, workspace: Workspace) -> Role | None:
    """Return the role of `viewer` in `workspace`, or None for non-members, staff included.

    The answer is cached on `workspace`.
    """
    if not viewer.is_authenticated:
        return None
    if workspace.owner_id == viewer.pk:
        return Role.OWNER
    known: dict[int, Role | None] = workspace.__dict__.setdefault("_roles", {})
    if viewer.pk not in known:
        found = Membership.objects.filter(workspace=workspace, user=viewer.pk).values_list("role", flat=True)
        known[viewer.pk] = next((Role(role) for role in found), None)
    return known[viewer.pk]


def list_members(workspace: Workspace, *, after: str = "") -> QuerySet[Membership]:
    """Return the members without the owner, sorted by name.

    `after` is the name of the previous page's last.
    """
    found = workspace.memberships.select_related("user")
    return found.filter(user__username__gt=after) if after else found


def is_offered(viewer: Viewer, workspace: Workspace) -> bool:
    """Return whether the owner offers `viewer` the ownership."""
    return workspace.memberships.filter(user=viewer.pk, offered=True).exists()


def read(workspace: Workspace) -> dict[str, bytes]:
    """Return all current files by path."""
    rows = workspace.files.values_list("path", "content__data")
    return {path: bytes(data) for path, data in rows}


def read_file(workspace: Workspace, path: str) -> bytes | None:
    """Return a current file, or None if there is none at `path`."""
    found = workspace.files.filter(path=path).values_list("content__data", flat=True).first()
    return None if found is None else bytes(found)


def read_text(workspace: Workspace, path: str) -> str:
    """Return a current file as text. A missing file has an empty text.

    Raises:
        NotText: it is not UTF-8.
    """
    try:
        return (read_file(workspace, path) or b"").decode()
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not UTF-8 text.") from error


def read_revision(revision: Revision) -> dict[str, bytes]:
    """Return all files at `revision` by path."""
    rows = revision.workspace.contents.filter(digest__in=set(revision.tree.values()))
    stored = {digest: bytes(data) for digest, data in rows.values_list("digest", "data")}
    return {path: stored[digest] for path, digest in sorted(revision.tree.items())}


def sizes(workspace: Workspace) -> Mapping[str, int]:
    """Return the size of every file in bytes, by path."""
    return dict(workspace.files.values_list("path", "content__size_bytes"))


def list_revisions(workspace: Workspace) -> QuerySet[Revision]:
    """Return the revisions that are kept, latest first."""
    return workspace.revisions.select_related("by").defer("tree")


def find_revision(workspace: Workspace, number: int) -> Revision | None:
    """Return the revision with that number, or None if it is not kept."""
    return workspace.revisions.select_related("by", "workspace").filter(number=number).first()


def present_revision(workspace: Workspace) -> Revision | None:
    """Return the revision of the current files, or None before the first write."""
    return find_revision(workspace, workspace.revision)


def list_comments(
    workspace: Workspace, path: str | None = None, *, resolved: bool = True
) -> QuerySet[Comment]:
    """Return the comments, sorted by file and line.

    `path` restricts them to one file. Without `resolved`, only open ones are returned.
    """
    comments = workspace.comments.select_related("by", "resolved_by")
    if path is not None:
        comments = comments.filter(path=path)
    return comments if resolved else comments.filter(resolved__isnull=True)


def latest_run(workspace: Workspace, kind: RunKind = RunKind.PROOF) -> ProofRun | None:
    """Return the latest run of that kind, or None."""
    return workspace.runs.select_related("revision", "by").filter(kind=kind).first()


def find_run(workspace: Workspace, pk: int) -> ProofRun | None:
    """Return the run of `workspace` with that primary key, or None."""
    return workspace.runs.select_related("revision", "by").filter(pk=pk).first()


def holding_proof(workspace: Workspace, content_hash: str) -> ProofRun | None:
    """Return a proof of exactly these contents that holds, or None."""
    return workspace.runs.filter(
        kind=RunKind.PROOF, state=JobState.DONE, holds=True, content_hash=content_hash
    ).first()


def standing(workspace: Workspace, content_hash: str) -> WorkspaceState:
    """Return the state of a workspace whose files have `content_hash`, if no proof of it is running."""
    if content_hash == workspace.published_hash:
        return WorkspaceState.PUBLISHED
    return WorkspaceState.READY if holding_proof(workspace, content_hash) else WorkspaceState.DRAFT
