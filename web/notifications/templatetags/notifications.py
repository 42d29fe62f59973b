"""The count of unread notifications in the header."""

from typing import Any

from django import template

from web.notifications.queries import count_unread
from web.site.paging import count_in_words

register = template.Library()


@register.simple_tag(takes_context=True)
def unread_notifications(context: dict[str, Any]) -> str:
    """Return the number of unread notifications, such as `3` or `99+`; empty if there is none."""
    user = context.get("user")
    return count_in_words(count_unread(user) if user is not None else 0)
