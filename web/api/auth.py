"""Authenticates API requests by token or session, or lets them pass without either.

`request.user` is the caller in all cases. An invalid token is refused even for operations that need no
sign-in, because its sender expects to be signed in.
"""

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from ninja.errors import AuthenticationError, HttpError
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from web.accounts import attempts, services
from web.accounts.models import Scope, User
from web.submissions.event_broadcaster import closing
from web.submissions.queries import Viewer


class ApiRequest(HttpRequest):
    """A request that has passed one of the checks below."""

    user: Viewer


class TokenAuth(HttpBearer):
    """An API token in the header `Authorization: Bearer …`, of at least `scope`.

    Each scope is a class, because the description of the API names the ways in by their classes.
    """

    scope = Scope.READ

    def __init__(self) -> None:
        self.openapi_description = f"A token with the scope `{self.scope.value}` or a scope that includes it."
        super().__init__()

    def authenticate(self, request: HttpRequest, token: str) -> User:
        """Return the token's user. Raises AuthenticationError, HttpError (403) and TooManyFailedKeys."""
        found = attempts.look_up(request, token, services.use_token)
        if found is None:
            raise AuthenticationError
        if not Scope(found.scope).includes(self.scope):
            raise HttpError(
                403, f"This token has the scope '{found.scope}'. Use one with the scope '{self.scope.value}'."
            )
        request.user = found.user
        return found.user


class SubmitTokenAuth(TokenAuth):
    """A token with the scope `submit`."""

    scope = Scope.SUBMIT


class AuthorTokenAuth(TokenAuth):
    """A token with the scope `author`."""

    scope = Scope.AUTHOR


class SessionAuth(APIKeyCookie):
    """The session of a signed-in browser. Requests that change data need the CSRF token in `X-CSRFToken`."""

    param_name = "sessionid"

    def __call__(self, request: HttpRequest) -> Any:
        """Return the user of the session, None without one. Raises HttpError (403) without a CSRF token."""
        if not request.user.is_authenticated:
            return None
        if check_csrf(request):
            raise HttpError(403, "The CSRF token is missing or incorrect. Send it in the X-CSRFToken header.")
        return request.user

    def authenticate(self, request: HttpRequest, key: str | None) -> User | None:
        """Return None. Not used: Django's session middleware has read the cookie."""
        raise NotImplementedError


def anybody(request: HttpRequest) -> bool:
    """Accept every request, signed in or not."""
    request.user = AnonymousUser() if not request.user.is_authenticated else request.user
    return True


class StreamAuth(TokenAuth):
    """The same checks of token or session for an async operation. Keeps no database connection."""

    is_async = True

    async def __call__(self, request: HttpRequest) -> Any:
        """Return the user of the token or of the session, None without either."""
        return await sync_to_async(closing(self._find))(request)

    def _find(self, request: HttpRequest) -> Viewer | None:
        viewer: Viewer | None = super().__call__(request) or SessionAuth()(request)
        return viewer


class StaffTokenAuth(TokenAuth):
    """A token of a member of staff. For all other users the operation does not exist."""

    def authenticate(self, request: HttpRequest, token: str) -> User:
        """Return the token's user. Raises Http404, AuthenticationError and HttpError (403)."""
        return _of_staff(super().authenticate(request, token))


class StaffOrderTokenAuth(StaffTokenAuth):
    """A token of a member of staff that allows changes to the fleet."""

    scope = Scope.SUBMIT


class StaffSessionAuth(SessionAuth):
    """The browser of a member of staff."""

    def __call__(self, request: HttpRequest) -> Any:
        """Return the user of the session, None without one. Raises Http404 and HttpError (403)."""
        user = super().__call__(request)
        return user and _of_staff(user)


def _of_staff(user: User) -> User:
    if not user.is_staff:
        raise Http404
    return user


READ = [TokenAuth(), SessionAuth()]
SUBMIT = [SubmitTokenAuth(), SessionAuth()]
PUBLIC = [TokenAuth(), anybody]
AUTHOR = [AuthorTokenAuth(), SessionAuth()]
STAFF_READ = [StaffTokenAuth(), StaffSessionAuth()]
STAFF_ORDER = [StaffOrderTokenAuth(), StaffSessionAuth()]
