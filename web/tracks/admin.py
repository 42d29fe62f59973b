"""Staff pages about tracks."""

from typing import ClassVar

from django.contrib import admin
from django.http import HttpRequest

from web.audit.audited import AuditedAdmin, RecordAdmin
from web.tracks.models import Entry, Track


@admin.register(Track)
class TrackAdmin(AuditedAdmin[Track]):
    """Tracks, to publish, to withdraw, and to schedule contests.

    Their content comes from files and from the problems' track days.
    """

    logged_fields: ClassVar[tuple[str, ...]] = ("published", "contest_starts", "contest_ends")
    list_display = ["slug", "title", "order", "contest_starts", "contest_ends", "published"]
    list_filter = ["published"]
    list_editable = ["published"]
    search_fields = ["slug", "title"]

    def get_readonly_fields(self, request: HttpRequest, obj: Track | None = None) -> list[str]:  # noqa: ARG002 - Django's signature
        """Return all fields that staff do not choose."""
        return [column.name for column in Track._meta.fields if column.name not in self.logged_fields]  # noqa: SLF001 - Django's public name for it

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Return False: only `manage.py loadproblems` creates tracks."""
        return False


@admin.register(Entry)
class EntryAdmin(RecordAdmin[Entry]):
    """Positions of problems on tracks."""

    list_display = ["track", "position", "problem", "day"]
    list_filter = ["track"]
    list_select_related = ["track", "problem"]
    search_fields = ["=problem__slug"]
