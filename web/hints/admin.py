"""Read-only admin pages about help."""

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.hints.models import GivenUp, OpenedHint


@admin.register(OpenedHint)
class OpenedHintAdmin(RecordAdmin[OpenedHint]):
    """Opened hints."""

    list_display = ["problem", "user", "number", "opened"]
    list_select_related = ["problem", "user"]
    search_fields = ["=user__username", "=problem__slug"]


@admin.register(GivenUp)
class GivenUpAdmin(RecordAdmin[GivenUp]):
    """Problems that users gave up."""

    list_display = ["problem", "user", "created"]
    list_select_related = ["problem", "user"]
    search_fields = ["=user__username", "=problem__slug"]
