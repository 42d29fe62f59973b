"""Reads of workspaces. Who may read one is asked of `rights`; only the lists here narrow by person."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

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
from web.catalog.queries import Viewer
from web.jobs.models import JobState


class NotText(Exception):
    """Raised when a file that is asked for as text is none. The message names it."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a workspace."""

    user: User
    role: Role


def visible_workspaces(viewer: Viewer) -> QuerySet[Workspace]:
    """The workspaces that `viewer` owns or shares, latest first; staff see all."""
    if not viewer.is_authenticated:
        return Workspace.objects.none()
    workspaces = Workspace.objects.select_related("owner")
    if viewer.is_staff:
        return workspaces
    shared = Membership.objects.filter(user=viewer.pk).values("workspace")
    return workspaces.filter(Q(owner=viewer.pk) | Q(pk__in=shared))


def own_workspaces(viewer: Viewer) -> QuerySet[Workspace]:
    """Those that `viewer` owns."""
    return visible_workspaces(viewer).filter(owner=viewer.pk)


def shared_workspaces(viewer: Viewer) -> QuerySet[Workspace]:
    """Those that others own and share with `viewer`; for staff also those that nobody shares with them."""
    return visible_workspaces(viewer).exclude(owner=viewer.pk)


def shares_any(viewer: User) -> bool:
    """Whether somebody let `viewer` into a problem."""
    return Membership.objects.filter(user=viewer.pk).exists()


def find_workspace(viewer: Viewer, slug: str) -> Workspace | None:
    """The workspace of that slug; None where `viewer` may not know of it."""
    return visible_workspaces(viewer).filter(slug=slug).first()


def role_of(viewer: Viewer, workspace: Workspace) -> Role | None:
    """What `viewer` is in `workspace`; None for others, staff included. Asked once per object."""
    if not viewer.is_authenticated:
        return None
    if workspace.owner_id == viewer.pk:
        return Role.OWNER
    known: dict[int, Role | None] = workspace.__dict__.setdefault("_roles", {})
    if viewer.pk not in known:
        found = Membership.objects.filter(workspace=workspace, user=viewer.pk).values_list("role", flat=True)
        known[viewer.pk] = next((Role(role) for role in found), None)
    return known[viewer.pk]


def people(workspace: Workspace) -> list[Person]:
    """The owner, then all others by name."""
    owner = [Person(workspace.owner, Role.OWNER)] if workspace.owner else []
    members = workspace.memberships.select_related("user")
    return [*owner, *(Person(member.user, Role(member.role)) for member in members)]


def read(workspace: Workspace) -> dict[str, bytes]:
    """Every file as it is now, by path."""
    rows = workspace.files.values_list("path", "content__data")
    return {path: bytes(data) for path, data in rows}


def read_file(workspace: Workspace, path: str) -> bytes | None:
    """One file as it is now; None when there is none."""
    found = workspace.files.filter(path=path).values_list("content__data", flat=True).first()
    return None if found is None else bytes(found)


def read_text(workspace: Workspace, path: str) -> str:
    """One file as text, empty when there is none.

    Raises:
        NotText: it is not UTF-8.
    """
    try:
        return (read_file(workspace, path) or b"").decode()
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not UTF-8 text.") from error


def read_revision(revision: Revision) -> dict[str, bytes]:
    """Every file as it was at `revision`, by path."""
    rows = revision.workspace.contents.filter(digest__in=set(revision.tree.values()))
    stored = {digest: bytes(data) for digest, data in rows.values_list("digest", "data")}
    return {path: stored[digest] for path, digest in sorted(revision.tree.items())}


def sizes(workspace: Workspace) -> Mapping[str, int]:
    """The size of every file in bytes, by path."""
    return dict(workspace.files.values_list("path", "content__size_bytes"))


def list_revisions(workspace: Workspace) -> QuerySet[Revision]:
    """What is kept of the history, latest first."""
    return workspace.revisions.select_related("by").defer("tree")


def find_revision(workspace: Workspace, number: int) -> Revision | None:
    """The revision of that number, if it is kept."""
    return workspace.revisions.select_related("by", "workspace").filter(number=number).first()


def present_revision(workspace: Workspace) -> Revision | None:
    """What the files say now; None before the first write."""
    return find_revision(workspace, workspace.revision)


def list_comments(
    workspace: Workspace, path: str | None = None, *, resolved: bool = True
) -> QuerySet[Comment]:
    """The comments by file and line; of one file where `path` is given, and without `resolved` open ones."""
    comments = workspace.comments.select_related("by", "resolved_by")
    if path is not None:
        comments = comments.filter(path=path)
    return comments if resolved else comments.filter(resolved__isnull=True)


def latest_run(workspace: Workspace, kind: RunKind = RunKind.PROOF) -> ProofRun | None:
    """The latest proof, or the latest preview."""
    return workspace.runs.select_related("revision", "by").filter(kind=kind).first()


def find_run(workspace: Workspace, pk: int) -> ProofRun | None:
    """A run of `workspace`."""
    return workspace.runs.select_related("revision", "by").filter(pk=pk).first()


def holding_proof(workspace: Workspace, content_hash: str) -> ProofRun | None:
    """A proof of exactly these contents that holds."""
    return workspace.runs.filter(
        kind=RunKind.PROOF, state=JobState.DONE, holds=True, content_hash=content_hash
    ).first()


def standing(workspace: Workspace, content_hash: str) -> WorkspaceState:
    """What a workspace is whose files are those of `content_hash`, and which nobody proves now."""
    if content_hash == workspace.published_hash:
        return WorkspaceState.PUBLISHED
    return WorkspaceState.READY if holding_proof(workspace, content_hash) else WorkspaceState.DRAFT
