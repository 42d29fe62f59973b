"""Views that ask for the password, a code or a key again, unless that happened within five minutes."""

from collections.abc import Callable
from typing import TypeVar, cast

from allauth.account.decorators import reauthentication_required
from django.http import HttpResponseBase

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def confirmed(view: View) -> View:
    """Ask before `view` does anything."""
    return cast("View", reauthentication_required(view))


def confirmed_post(view: View) -> View:
    """Show `view` to whoever is signed in, and ask before it changes anything. A form is not lost."""
    return cast("View", reauthentication_required(view, allow_get=True))
