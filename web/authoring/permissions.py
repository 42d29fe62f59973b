"""Access control for the pages of a workspace."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from web.accounts.models import User
from web.authoring import rights
from web.authoring.models import Workspace
from web.authoring.queries import NotText, find_workspace

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Workspace, P], HttpResponse]


def in_workspace(
    *, read: str = rights.VIEW, write: str = rights.EDIT
) -> Callable[[View[P]], Callable[..., HttpResponse]]:
    """Decorate a view that takes the workspace of a slug. It answers 404 to users without access.

    GET requires the permission `read`, every other method the permission `write`. Forms whose only purpose is
    a change require the same permission for both.
    """

    def decorate(view: View[P]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def enter(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            workspace = find_workspace(request.user, slug)
            if workspace is None or not request.user.has_perm(rights.VIEW, workspace):
                raise Http404("Workspace not found.")
            needed = read if request.method in {"GET", "HEAD"} else write
            if not request.user.has_perm(needed, workspace):
                raise PermissionDenied
            try:
                return view(request, workspace, *args, **kwargs)
            except NotText as error:
                raise Http404(str(error)) from error

        return never_cache(enter)

    return decorate


def person(request: HttpRequest) -> User:
    """Return the signed-in user who made `request`."""
    return cast("User", request.user)
