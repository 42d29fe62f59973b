"""Reads about what people show of themselves."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.db.models.functions import Lower

from web.accounts.models import Audience, User

Viewer = User | AnonymousUser


def may_see_profile(viewer: Viewer, user: User) -> bool:
    """Whether `viewer` may see the profile of `user`. Without the right it does not exist: answer 404."""
    if viewer.is_staff or viewer == user:
        return True
    if not user.is_active or user.profile_audience == Audience.NOBODY:
        return False
    return user.profile_audience == Audience.EVERYBODY or viewer.is_authenticated


def may_see_activity(viewer: Viewer, user: User) -> bool:
    """Whether `viewer`, who may see the profile, may see on which days there were submissions."""
    return viewer.is_staff or viewer == user or user.shows_activity


def ranked_users(path: str = "") -> Q:
    """The condition for people who appear in rankings: active, and not unwilling.

    `path` leads from the filtered model to the user: `Progress.objects.filter(ranked_users("user"))`.
    """
    prefix = f"{path}__" if path else ""
    return Q(**{f"{prefix}is_active": True, f"{prefix}in_rankings": True})


def find_profile(viewer: Viewer, username: str) -> User | None:
    """The person of that name, in any case; None when `viewer` may not see the profile."""
    if "\0" in username:  # which PostgreSQL does not take
        return None
    named = User.objects.alias(lower=Lower("username")).filter(lower=username.lower()).first()
    return named if named and may_see_profile(viewer, named) else None


def reads_all(viewer: Viewer) -> bool:
    """Whether `viewer` may see every submission: staff, and instructors, to teach."""
    return viewer.is_authenticated and (viewer.is_staff or viewer.is_instructor)
