"""Reads about the privacy settings of users."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.db.models.functions import Lower

from web.accounts.models import Audience, User

Viewer = User | AnonymousUser


def may_see_profile(viewer: Viewer, user: User) -> bool:
    """Return whether `viewer` may see the profile of `user`. If not, the view must answer 404."""
    if viewer.is_staff or viewer == user:
        return True
    if not user.is_active or user.profile_audience == Audience.NOBODY:
        return False
    return user.profile_audience == Audience.EVERYBODY or viewer.is_authenticated


def may_see_activity(viewer: Viewer, user: User) -> bool:
    """Return whether `viewer`, who may see the profile, may also see the days with submissions."""
    return viewer.is_staff or viewer == user or user.shows_activity


def ranked_users(path: str = "") -> Q:
    """Return the condition for users in rankings: those who are active and did not opt out.

    `path` leads from the filtered model to the user: `Progress.objects.filter(ranked_users("user"))`.
    """
    prefix = f"{path}__" if path else ""
    return Q(**{f"{prefix}is_active": True, f"{prefix}in_rankings": True})


def find_profile(viewer: Viewer, username: str) -> User | None:
    """Return the user with that name, ignoring case. Return None if `viewer` may not see the profile."""
    if "\0" in username:  # PostgreSQL does not accept NUL characters
        return None
    named = User.objects.alias(lower=Lower("username")).filter(lower=username.lower()).first()
    return named if named and may_see_profile(viewer, named) else None


def reads_all(viewer: Viewer) -> bool:
    """Return whether `viewer` may see every submission. Staff may, and instructors, who need it to teach."""
    return viewer.is_authenticated and (viewer.is_staff or viewer.is_instructor)
