"""The user of the token, and the profiles of other users."""

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404
from ninja import Router, Schema
from pydantic import StringConstraints

from web.accounts import visibility as queries
from web.accounts.models import User
from web.api.auth import PUBLIC, READ, ApiRequest
from web.api.errors import documented
from web.submissions.models import Progress

router = Router(auth=READ)
people = Router(auth=PUBLIC)
Name = Annotated[str, StringConstraints(min_length=1, max_length=150, pattern=r"^[^\x00/]+$")]


class UserOut(Schema):
    """A user. `solved` and `attempted` count problems."""

    username: str
    joined: datetime
    solved: int
    attempted: int


class ProfileOut(UserOut):
    """You, with your rights."""

    instructor: bool
    staff: bool


@router.get("", response={200: ProfileOut, **documented(401)}, summary="Show your profile")
def show_profile(request: ApiRequest) -> Any:
    """Return the user of the token."""
    user: User = request.user  # type: ignore[assignment]  # the checks leave only users
    return {**_shown(user), "instructor": user.is_instructor, "staff": user.is_staff}


@people.get("/{username}", response={200: UserOut, **documented(401, 404, 422)}, summary="Show a user")
def show_user(request: ApiRequest, username: Name) -> Any:
    """Return a user whose profile you can see."""
    user = queries.find_profile(request.user, username)
    if user is None:
        raise Http404
    return _shown(user)


def _shown(user: User) -> dict[str, Any]:
    progress = Progress.objects.filter(user=user)
    return {
        "username": user.username,
        "joined": user.date_joined,
        "solved": progress.filter(solved__isnull=False).count(),
        "attempted": progress.count(),
    }
