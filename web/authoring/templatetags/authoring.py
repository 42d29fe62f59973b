"""Template tags for the navigation of a workspace, and for its state."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from web.accounts.models import User
from web.authoring import rights
from web.authoring.models import WorkspaceState
from web.authoring.queries import shares_any
from web.authoring.tabs import TABS
from web.colours import colour

register = template.Library()
_TONES = {
    WorkspaceState.DRAFT: "void",
    WorkspaceState.PROVING: "live",
    WorkspaceState.READY: "good",
    WorkspaceState.PUBLISHED: "good",
    WorkspaceState.ARCHIVED: "void",
}


@dataclass(frozen=True, slots=True)
class TabLink:
    """A link in the navigation. `current` is true if this page, or one below it, is open."""

    label: str
    url: str
    current: bool


@register.simple_tag(takes_context=True)
def workspace_places(context: dict[str, Any]) -> list[TabLink]:
    """Return links to the tabs of the workspace in the context. The open one is marked."""
    request: HttpRequest | None = context.get("request")
    here = request.path if request else ""
    places = []
    for tab in TABS:
        try:
            url = reverse(tab.url_name, args=[context["workspace"].slug])
        except NoReverseMatch:
            continue
        places.append(TabLink(tab.label, url, here == url or here.startswith(f"{url}/")))
    return places


@register.simple_tag
def writes_problems(user: User) -> bool:
    """Return whether `user` has a list of problems.

    Instructors, staff and members of any problem have one.
    """
    return rights.is_instructor(user) or rights.is_staff(user) or shares_any(user)


@register.filter
def state_label(value: str) -> SafeString:
    """Return the state of a workspace as a coloured label."""
    state = WorkspaceState(value)
    return format_html('<span class="tag state tone-{}">{}</span>', _TONES[state], state.label)


@register.filter
def highlighted(source: str, language: str) -> SafeString:
    """Return a program with syntax highlighting."""
    return colour(source, str(language))
