"""Template tags for the navigation between the pages of an account, and for identity providers."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from allauth.account.utils import passthrough_next_redirect_url
from allauth.socialaccount.adapter import get_adapter
from django import template
from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest
from django.urls import reverse

register = template.Library()
_ENTRANCE = "/accounts/"  # allauth's pages: sign in, sign up, reset a password


@dataclass(frozen=True, slots=True)
class NavLink:
    """A link to a page of the account. `current` is true if this page, or one below it, is open."""

    label: str
    url: str
    current: bool


_PLACES = (
    ("Overview", "account"),
    ("Profile and privacy", "account-profile"),
    ("Email", "account_email"),
    ("Notifications", "account-notifications"),
    ("Password", "account_change_password"),
    ("Two-factor authentication", "mfa_index"),
    ("Connected accounts", "socialaccount_connections"),
    ("Sessions", "usersessions_list"),
    ("API tokens", "tokens"),
    ("Your nodes", "account-nodes"),
    ("Your data", "account-data"),
)


@register.simple_tag(takes_context=True)
def account_places(context: dict[str, Any]) -> list[NavLink]:
    """Return links to the pages of the account, in the order of the navigation."""
    request: HttpRequest = context["request"]
    return [
        _place(label, reverse(name), request.path)
        for label, name in _PLACES
        if name != "socialaccount_connections" or settings.SOCIALACCOUNT_PROVIDERS
    ]


def _place(label: str, url: str, path: str) -> NavLink:
    section = url.removesuffix("change/")  # "Change password" and "Set password" share one link
    below = path.startswith(section) if section != reverse("account") else path == section
    return NavLink(label, url, below)


@register.simple_tag(takes_context=True)
def sign_in_url(context: dict[str, Any]) -> str:
    """Return the address of the sign-in page, which leads back to this page.

    On allauth's own pages, it keeps the destination of that page.
    """
    return _entrance_url(context, "account_login")


@register.simple_tag(takes_context=True)
def sign_up_url(context: dict[str, Any]) -> str:
    """Return the address of the sign-up page, which leads back to this page like that of `sign_in_url`."""
    return _entrance_url(context, "account_signup")


def _entrance_url(context: dict[str, Any], name: str) -> str:
    url = reverse(name)
    request: HttpRequest | None = context.get("request")
    if request is None:
        return url
    if request.path.startswith(_ENTRANCE):
        return str(passthrough_next_redirect_url(request, url, REDIRECT_FIELD_NAME))
    back = urlencode({REDIRECT_FIELD_NAME: request.get_full_path()}, safe="/")
    return f"{url}?{back}"


@register.simple_tag(takes_context=True)
def sign_in_providers(context: dict[str, Any]) -> list[Any]:
    """Return the configured providers. This takes one query, or none if there are no providers."""
    if not settings.SOCIALACCOUNT_PROVIDERS:
        return []
    providers: list[Any] = get_adapter().list_providers(context["request"])
    return providers


@register.filter
def browser(agent: str) -> str:
    """Return a short description of a User-Agent header, such as `Firefox on Linux`. It is a guess."""
    names = ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome")
    systems = ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iOS"), ("Windows", "Windows")
    more = ("Mac OS", "macOS"), ("Linux", "Linux")
    name = _first((*names, ("Safari/", "Safari")), agent)
    system = _first((*systems, *more), agent)
    return " on ".join(part for part in (name, system) if part) or agent[:60] or "Unknown"


def _first(words: tuple[tuple[str, str], ...], text: str) -> str:
    return next((word for sign, word in words if sign in text), "")
