"""Reads about what people show of themselves."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q

from web.accounts.models import Audience, User

Viewer = User | AnonymousUser


def may_see_profile(viewer: Viewer, user: User) -> bool:
    """Whether `viewer` may see the profile of `user`. Without the right it does not exist: answer 404."""
    if viewer.is_staff or viewer == user:
        return True
    if not user.is_active or user.profile_audience == Audience.NOBODY:
        return False
    return user.profile_audience == Audience.EVERYBODY or viewer.is_authenticated


def ranked_users(path: str = "") -> Q:
    """The condition for people who appear in rankings: active, and not unwilling.

    `path` leads from the filtered model to the user: `Progress.objects.filter(ranked_users("user"))`.
    """
    prefix = f"{path}__" if path else ""
    return Q(**{f"{prefix}is_active": True, f"{prefix}in_rankings": True})
