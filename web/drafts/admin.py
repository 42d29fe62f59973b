"""Staff pages about drafts: that there are some. What people write before they hand it in is theirs."""

from typing import ClassVar

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.drafts.models import Draft, DraftRevision


@admin.register(Draft)
class DraftAdmin(RecordAdmin[Draft]):
    """Drafts."""

    private: ClassVar[tuple[str, ...]] = ("source",)
    list_display = ["user", "problem", "language", "revision", "saved"]
    list_select_related = ["user", "problem"]
    search_fields = ["=user__username", "=problem__slug"]


@admin.register(DraftRevision)
class DraftRevisionAdmin(RecordAdmin[DraftRevision]):
    """What is kept of earlier drafts."""

    private: ClassVar[tuple[str, ...]] = ("source",)
    list_display = ["draft", "revision", "saved"]
    list_select_related = ["draft__user", "draft__problem"]
    search_fields = ["=draft__user__username"]
