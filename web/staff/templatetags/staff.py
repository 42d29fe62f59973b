"""The navigation of the staff pages, and descriptions of background jobs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse

from web.jobs.queries import Task
from web.staff.badges import KIND_WORDS
from web.staff.pages import TaskRow, task_rows

register = template.Library()
_PLACES = (
    ("staff", "Overview"),
    ("staff-queue", "Queue"),
    ("staff-stuck", "Stuck"),
    ("staff-workers", "Workers"),
    ("fleet", "Fleet"),
    ("staff-rejudges", "Rejudges"),
    ("staff-tracks", "Tracks"),
    ("staff-quizzes", "Quizzes"),
    ("staff-users", "Users"),
    ("staff-usage", "Usage"),
    ("staff-quotas", "Limits"),
    ("staff-flags", "Reported posts"),
    ("staff-bans", "Bans"),
    ("staff-audit", "Audit log"),
    ("admin:index", "Administration"),
)


@register.filter
def in_words(tasks: Iterable[Task]) -> list[TaskRow]:
    """Return the background jobs as rows."""
    return task_rows(tasks)


@register.simple_tag
def task_address(task: Task) -> str:
    """Return the address of the staff page of the job."""
    words = KIND_WORDS[task.kind]
    return reverse(words.page, args=[getattr(task, name) for name in words.page_values])


@dataclass(frozen=True, slots=True)
class StaffPlace:
    """A link of the navigation."""

    label: str
    url: str
    current: bool


@register.simple_tag(takes_context=True)
def staff_places(context: dict[str, Any]) -> list[StaffPlace]:
    """Return the links to the staff pages, with the current page marked."""
    request: HttpRequest | None = context.get("request")
    here = request.path if request else ""
    places = []
    for name, label in _PLACES:
        url = reverse(name)
        inside = here == url or (name != "staff" and here.startswith(f"{url}/"))
        places.append(StaffPlace(label, url, inside))
    return places
