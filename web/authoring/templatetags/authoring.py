"""Template tags for the navigation of a workspace, and for its state."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from web.accounts.models import User
from web.authoring import rights
from web.authoring.models import Workspace
from web.authoring.queries import shares_any
from web.authoring.standing import is_shown, pills_of
from web.authoring.tabs import GROUPS, Tab
from web.colours import colour

register = template.Library()


@dataclass(frozen=True, slots=True)
class TabLink:
    """A link in the navigation. `current` is true if this page, or one below it, is open.

    `errors` counts what is wrong there.
    """

    label: str
    url: str
    current: bool
    errors: int


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """Links that belong together."""

    label: str
    links: list[TabLink]


@register.simple_tag(takes_context=True)
def workspace_places(context: dict[str, Any]) -> list[LinkGroup]:
    """Return links to the tabs of the workspace in the context, in groups. The open one is marked."""
    request: HttpRequest | None = context.get("request")
    here, errors = request.path if request else "", context.get("tab_errors") or {}

    def link(tab: Tab) -> TabLink:
        url = reverse(tab.url_name, args=[context["workspace"].slug])
        return TabLink(tab.label, url, here == url or here.startswith(f"{url}/"), errors.get(tab.name, 0))

    return [LinkGroup(group.label, [link(tab) for tab in group.tabs]) for group in GROUPS]


@register.simple_tag
def writes_problems(user: User) -> bool:
    """Return whether `user` has a list of problems.

    Instructors, staff and members of any problem have one.
    """
    return rights.is_instructor(user) or rights.is_staff(user) or shares_any(user)


@register.filter
def state_label(workspace: Workspace) -> SafeString:
    """Return the state of a workspace as coloured labels."""
    pills = ((pill.tone, pill.word) for pill in pills_of(workspace))
    return format_html_join(" ", '<span class="tag state tone-{}">{}</span>', pills)


@register.filter
def shown_to_learners(workspace: Workspace) -> bool:
    """Return whether learners see a version of the problem."""
    return is_shown(workspace)


@register.filter
def highlighted(source: str, language: str) -> SafeString:
    """Return a program with syntax highlighting."""
    return colour(source, str(language))
