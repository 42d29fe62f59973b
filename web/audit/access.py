"""Access to the staff pages."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from web.accounts.models import User

P = ParamSpec("P")


def staff_only(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Return a view for staff only. It answers 404 to all other users."""

    @wraps(view)
    def enter(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return never_cache(enter)


def member(request: HttpRequest) -> User:
    """Return the member of staff who made `request`."""
    return cast("User", request.user)
