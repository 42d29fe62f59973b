"""Who is in a workspace."""

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
from web.authoring.models import Role
from web.authoring.services import members

router = Router()
Username = Annotated[str, StringConstraints(min_length=1, max_length=30, pattern=r"^[^\x00-\x20/]+$")]


class MemberOut(Schema):
    """Somebody in a workspace."""

    username: str
    role: Role


class RoleIn(Schema):
    """What they are to be. A new owner has to be an instructor; the old one becomes an editor."""

    role: Role


@router.get(
    "/workspaces/{slug}/members",
    response={200: list[MemberOut], **documented(401, 403, 404, 422)},
    summary="List people",
)
def list_members(request: ApiRequest, slug: Slug) -> Any:
    """The owner, then all others by name."""
    found = queries.people(find(request, slug))
    return [{"username": one.user.username, "role": one.role} for one in found]


@router.put(
    "/workspaces/{slug}/members/{username}",
    response={200: MemberOut, **documented(400, 401, 403, 404, 409, 413, 422)},
    summary="Give a person a role",
)
def set_member(request: ApiRequest, slug: Slug, username: Username, wanted: RoleIn) -> Any:
    """Take a person in, or change what they are."""
    workspace = find(request, slug, rights.SHARE)
    somebody = _person(username)
    members.set_role(workspace, person(request), somebody, wanted.role)
    return {"username": somebody.username, "role": wanted.role}


@router.delete(
    "/workspaces/{slug}/members/{username}",
    response={204: None, **documented(401, 403, 404, 409, 422)},
    summary="Remove a person",
)
def remove_member(request: ApiRequest, slug: Slug, username: Username) -> Any:
    """Whoever may share does so for others, and everybody for themselves."""
    workspace = find(request, slug)
    somebody = _person(username)
    if somebody != person(request):
        workspace = find(request, slug, rights.SHARE)
    if not members.remove(workspace, person(request), somebody):
        raise Http404
    return Status(204, None)


def _person(username: str) -> User:
    found = find_user(username)
    if found is None:
        raise Http404
    return found
