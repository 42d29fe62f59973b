"""Access checks and the workspace lookup that the operations below /author share."""

from typing import cast

from django.core.exceptions import PermissionDenied
from django.http import Http404

from web.accounts.models import User
from web.api.auth import ApiRequest
from web.authoring import rights
from web.authoring.models import Workspace
from web.authoring.queries import find_workspace

_REFUSALS = {
    rights.CREATE: "Only instructors and staff can write problems.",
    rights.COMMENT: "Viewers can't comment. Ask the owner to make you a reviewer.",
    rights.PROVE: "Viewers can't run proofs. Archived workspaces can't be proved.",
    rights.EDIT: "Only the owner and editors can edit this workspace. Archived workspaces are read-only.",
    rights.PUBLISH: "Only an owner who is an instructor can publish. Archived workspaces can't be published.",
    rights.WITHDRAW: "Only the owner can withdraw a problem or archive a version.",
    rights.SHARE: "Only the owner can change the members of a workspace.",
}


def person(request: ApiRequest) -> User:
    """Return the user of the request, who is signed in."""
    return cast("User", request.user)


def require(request: ApiRequest, right: str, workspace: Workspace | None = None) -> None:
    """Raise PermissionDenied, which the API answers with 403, unless the user has the right."""
    if not person(request).has_perm(right, workspace):
        raise PermissionDenied(_REFUSALS[right])


def find(request: ApiRequest, slug: str, right: str = rights.VIEW) -> Workspace:
    """Return the workspace if the user has `right` in it. Raises Http404 and PermissionDenied."""
    workspace = find_workspace(request.user, slug)
    if workspace is None or not person(request).has_perm(rights.VIEW, workspace):
        raise Http404
    require(request, right, workspace) if right != rights.VIEW else None
    return workspace
