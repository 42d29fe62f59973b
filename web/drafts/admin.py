"""Admin pages about drafts. They do not show the texts, which are private until submitted."""

from typing import ClassVar

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.drafts.models import Draft, DraftRevision, Note


@admin.register(Draft)
class DraftAdmin(RecordAdmin[Draft]):
    """Drafts."""

    private: ClassVar[tuple[str, ...]] = ("source",)
    list_display = ["user", "problem", "language", "revision", "saved"]
    list_select_related = ["user", "problem"]
    search_fields = ["=user__username", "=problem__slug"]


@admin.register(DraftRevision)
class DraftRevisionAdmin(RecordAdmin[DraftRevision]):
    """Earlier texts of drafts."""

    private: ClassVar[tuple[str, ...]] = ("source",)
    list_display = ["draft", "revision", "saved"]
    list_select_related = ["draft__user", "draft__problem"]
    search_fields = ["=draft__user__username"]


@admin.register(Note)
class NoteAdmin(RecordAdmin[Note]):
    """Notes and bookmarks."""

    private: ClassVar[tuple[str, ...]] = ("text",)
    list_display = ["user", "problem", "bookmarked", "changed"]
    list_select_related = ["user", "problem"]
    search_fields = ["=user__username", "=problem__slug"]
