"""Who may see the pages of staff."""

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
    """Let staff in. To everybody else the page does not exist."""

    @wraps(view)
    def enter(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return never_cache(enter)


def member(request: HttpRequest) -> User:
    """The member of staff who asks."""
    return cast("User", request.user)
