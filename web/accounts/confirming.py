"""Decorators that ask for the password, a code or a key again after five minutes."""

from collections.abc import Callable
from typing import TypeVar, cast

from allauth.account.decorators import reauthentication_required
from django.http import HttpResponseBase

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def confirmed(view: View) -> View:
    """Return a view that asks for confirmation before `view` runs."""
    return cast("View", reauthentication_required(view))


def confirmed_post(view: View) -> View:
    """Return a view that shows `view` to signed-in users and asks for confirmation before a POST.

    The data of a submitted form is kept during the confirmation.
    """
    return cast("View", reauthentication_required(view, allow_get=True))
