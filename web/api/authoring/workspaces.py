"""Workspaces: list, create, copy, archive."""

from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Query, Router, Schema
from ninja.responses import Status
from pydantic import StringConstraints

from web.api.auth import ApiRequest
from web.api.authoring.access import find, person, require
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import queries, rights
from web.authoring.models import TITLE_CHARACTERS, Role, Workspace, WorkspaceState
from web.authoring.problem_templates import PROBLEM_TEMPLATES, begin
from web.authoring.services import workspaces

router = Router()
PAGE_ROWS = 50
Kind = Annotated[
    str, StringConstraints(pattern="^(" + "|".join(kind.name for kind in PROBLEM_TEMPLATES) + ")$")
]
Title = Annotated[
    str, StringConstraints(min_length=1, max_length=TITLE_CHARACTERS, pattern=r"^[^\x00-\x1f]+$")
]


class WorkspaceOut(Schema):
    """A problem that is being written. `role` is your role; null for staff who are not members."""

    slug: str
    title: str
    owner: str | None
    role: Role | None
    state: WorkspaceState
    revision: int
    published_hash: str
    created: datetime
    changed: datetime

    @staticmethod
    def resolve_owner(workspace: Workspace) -> str | None:
        """Return the owner's name; null if the account is deleted."""
        return workspace.owner.username if workspace.owner else None

    @staticmethod
    def resolve_role(workspace: Workspace, context: Any) -> Role | None:
        """Return the role of the current user."""
        return queries.role_of(context["request"].user, workspace)


class WorkspacesOut(Schema):
    """One page. `next` is the value of `after` for the next page; null on the last page."""

    workspaces: list[WorkspaceOut]
    next: str | None


class WorkspaceIn(Schema):
    """A problem to create: from the template `kind` with a `title`, or as a copy of `clone_of`."""

    slug: Slug
    title: Title = "New problem"
    kind: Kind = "custom"
    clone_of: Slug | None = None


class WorkspaceFilter(Schema):
    """Filters of the list."""

    state: WorkspaceState | None = None
    after: Slug | None = None
    limit: int = Field(PAGE_ROWS, ge=1, le=PAGE_ROWS)


@router.get(
    "/workspaces", response={200: WorkspacesOut, **documented(401, 403, 422)}, summary="List your workspaces"
)
def list_workspaces(request: ApiRequest, wanted: Query[WorkspaceFilter]) -> Any:
    """Return the workspaces that you own or share, by slug. Staff see all workspaces."""
    rows = queries.visible_workspaces(request.user).order_by("slug")
    if wanted.state is not None:
        rows = rows.filter(state=wanted.state)
    if wanted.after is not None:
        rows = rows.filter(slug__gt=wanted.after)
    found = list(rows[: wanted.limit + 1])
    page, more = found[: wanted.limit], len(found) > wanted.limit
    return {"workspaces": page, "next": page[-1].slug if more else None}


@router.post(
    "/workspaces",
    response={201: WorkspaceOut, **documented(400, 401, 403, 404, 409, 413, 422)},
    summary="Create a problem",
)
def create_workspace(request: ApiRequest, wanted: WorkspaceIn) -> Any:
    """Create a problem from a working template, or copy a problem that you can read."""
    require(request, rights.CREATE)
    if wanted.clone_of is not None:
        source = find(request, wanted.clone_of)
        return Status(201, workspaces.clone(source, person(request), wanted.slug))
    content = begin(wanted.kind, title=wanted.title)
    return Status(201, workspaces.create(person(request), wanted.slug, content))


@router.get(
    "/workspaces/{slug}",
    response={200: WorkspaceOut, **documented(401, 403, 404, 422)},
    summary="Show a workspace",
)
def show_workspace(request: ApiRequest, slug: Slug) -> Any:
    """Return a workspace and its state."""
    return find(request, slug)


@router.delete(
    "/workspaces/{slug}",
    response={204: None, **documented(401, 403, 404, 409, 422)},
    summary="Delete a workspace",
)
def delete_workspace(request: ApiRequest, slug: Slug) -> Any:
    """Delete a workspace with its history. If it published a version, archive it instead."""
    workspaces.delete(find(request, slug, rights.SHARE), person(request))
    return Status(204, None)


@router.post(
    "/workspaces/{slug}/archive",
    response={200: WorkspaceOut, **documented(401, 403, 404, 409, 422)},
    summary="Archive a workspace",
)
def archive_workspace(request: ApiRequest, slug: Slug) -> Any:
    """Make a workspace read-only. Its published versions stay available to learners."""
    workspace = find(request, slug, rights.SHARE)
    workspaces.archive(workspace, person(request))
    return workspace


@router.post(
    "/workspaces/{slug}/take-back",
    response={200: WorkspaceOut, **documented(401, 403, 404, 422)},
    summary="Unarchive a workspace",
)
def take_back_workspace(request: ApiRequest, slug: Slug) -> Any:
    """Make an archived workspace editable again."""
    workspace = find(request, slug, rights.SHARE)
    workspaces.take_back(workspace, person(request))
    return workspace
