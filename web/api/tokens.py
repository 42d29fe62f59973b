"""Tokens: create with name and password, list, revoke."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from allauth.account.adapter import get_adapter
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest
from ninja import Field, Router, Schema
from ninja.errors import HttpError
from ninja.responses import Status
from pydantic import StringConstraints

from web.accounts import queries, services
from web.accounts.models import Scope
from web.api.auth import READ, SUBMIT, ApiRequest
from web.api.errors import answer, documented

router = Router(auth=READ)
Line = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f]+$")]


class TokenIn(Schema):
    """Your credentials, and the purpose of the token."""

    username: Annotated[str, StringConstraints(min_length=1, max_length=150, pattern=r"^[^\x00]+$")]
    password: Annotated[str, StringConstraints(min_length=1, max_length=1024, pattern=r"^[^\x00]+$")]
    name: Line = "command line"
    scope: Scope = Scope.SUBMIT
    days: int = Field(90, ge=1, le=366)


class TokenOut(Schema):
    """A token as it can be listed: without its secret."""

    id: int
    name: str
    prefix: str
    scope: Scope
    created: datetime
    expires: datetime
    last_used: datetime | None


class NewTokenOut(TokenOut):
    """A new token. `token` is the secret, which is shown only once."""

    token: str


@router.post(
    "",
    auth=None,
    response={201: NewTokenOut, **documented(400, 403, 409, 413, 422, 429)},
    summary="Create a token from a username and a password",
)
def create_token(request: HttpRequest, wanted: TokenIn) -> Any:
    """Create a token. Like sign-in, this refuses too many wrong passwords for a name or from an address."""
    try:
        user = get_adapter(request).authenticate(request, username=wanted.username, password=wanted.password)
    except ValidationError:
        return answer(429, "Too many failed attempts. Try again in a few minutes.")
    if user is None:
        raise HttpError(403, "Incorrect username or password.")
    if queries.has_second_factor(user):
        raise HttpError(
            403, "This account uses two-factor authentication. Create a token at /account/tokens."
        )
    token, secret = services.issue_token(
        user, name=wanted.name, scope=wanted.scope, lifetime=timedelta(days=wanted.days)
    )
    get_adapter(request).announce_token(token)
    return Status(201, {**TokenOut.from_orm(token).dict(), "token": secret})


@router.get("", response={200: list[TokenOut], **documented(401)}, summary="List your tokens")
def list_tokens(request: ApiRequest) -> Any:
    """Return your valid tokens, newest first."""
    return queries.list_tokens(request.user)  # type: ignore[arg-type]  # the checks leave only users


@router.delete(
    "/{token_id}",
    auth=SUBMIT,
    response={204: None, **documented(401, 403, 404, 422)},
    summary="Revoke a token",
)
def revoke_token(request: ApiRequest, token_id: Annotated[int, Field(ge=1, lt=2**63)]) -> Any:
    """Revoke a token. This takes effect immediately."""
    if not services.revoke_token(request.user, token_id):  # type: ignore[arg-type]  # as above
        raise Http404
    return Status(204, None)
