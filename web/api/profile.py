"""Who you are to the site."""

from datetime import datetime
from typing import Any

from ninja import Router, Schema

from web.api.auth import READ, ApiRequest
from web.api.errors import documented
from web.submissions.models import Progress

router = Router(auth=READ)


class ProfileOut(Schema):
    """You. `solved` and `attempted` count problems."""

    username: str
    joined: datetime
    instructor: bool
    staff: bool
    solved: int
    attempted: int


@router.get("", response={200: ProfileOut, **documented(401)}, summary="Show your profile")
def show_profile(request: ApiRequest) -> Any:
    """The holder of the token."""
    user = request.user
    progress = Progress.objects.filter(user=user.pk)
    return {
        "username": user.get_username(),
        "joined": user.date_joined,  # type: ignore[union-attr]  # the checks leave only users
        "instructor": user.is_instructor,  # type: ignore[union-attr]  # as above
        "staff": user.is_staff,
        "solved": progress.filter(solved__isnull=False).count(),
        "attempted": progress.count(),
    }
