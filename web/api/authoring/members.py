"""Members of a workspace and their roles."""

from typing import Annotated, Any

from django.http import Http404
from ninja import Router, Schema
from ninja.responses import Status
from pydantic import StringConstraints

from web.accounts.models import User
from web.accounts.queries import find_user
from web.api.auth import ApiRequest
from web.api.authoring.access import find, person
from web.api.errors import documented
from web.api.problems import Slug
from web.authoring import queries, rights
from web.authoring.models import Membership, Role
from web.authoring.services import members

router = Router()
Username = Annotated[str, StringConstraints(min_length=1, max_length=30, pattern=r"^[^\x00-\x20/]+$")]


MOST_MEMBERS = 200


class MemberOut(Schema):
    """A member of a workspace. `offered` says that the owner offers this member the ownership."""

    username: str
    role: Role
    offered: bool = False


class RoleIn(Schema):
    """The role to give.

    `owner` offers the ownership to an instructor or staff, who accept it on the site. Staff change the owner
    at once. The previous owner becomes an editor.
    """

    role: Role


@router.get(
    "/workspaces/{slug}/members",
    response={200: list[MemberOut], **documented(401, 403, 404, 422)},
    summary="List members",
)
def list_members(request: ApiRequest, slug: Slug) -> Any:
    """Return the owner, then the first 200 other members by name."""
    workspace = find(request, slug)
    owner = [MemberOut(username=workspace.owner.username, role=Role.OWNER)] if workspace.owner else []
    return [*owner, *map(_out, queries.list_members(workspace)[:MOST_MEMBERS])]


@router.put(
    "/workspaces/{slug}/members/{username}",
    response={200: MemberOut, **documented(400, 401, 403, 404, 409, 413, 422)},
    summary="Give a user a role",
)
def set_member(request: ApiRequest, slug: Slug, username: Username, wanted: RoleIn) -> Any:
    """Add a member, or change the role of a member."""
    workspace = find(request, slug, rights.SHARE)
    somebody = _person(username)
    members.set_role(workspace, person(request), somebody, wanted.role)
    if workspace.owner == somebody:
        return MemberOut(username=somebody.username, role=Role.OWNER)
    return _out(queries.list_members(workspace).get(user=somebody))


@router.delete(
    "/workspaces/{slug}/members/{username}",
    response={204: None, **documented(401, 403, 404, 409, 422)},
    summary="Remove a member",
)
def remove_member(request: ApiRequest, slug: Slug, username: Username) -> Any:
    """Remove a member. The owner can remove all others, and members can remove themselves."""
    workspace = find(request, slug)
    somebody = _person(username)
    if somebody != person(request):
        workspace = find(request, slug, rights.SHARE)
    if not members.remove(workspace, person(request), somebody):
        raise Http404
    return Status(204, None)


def _out(member: Membership) -> MemberOut:
    return MemberOut(username=member.user.username, role=Role(member.role), offered=member.offered)


def _person(username: str) -> User:
    found = find_user(username)
    if found is None:
        raise Http404
    return found
