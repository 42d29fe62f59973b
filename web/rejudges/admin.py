"""Read-only staff pages about rejudges. The pages under /staff show them better."""

from typing import ClassVar

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.rejudges.models import HiddenRun, Rejudge


@admin.register(Rejudge)
class RejudgeAdmin(RecordAdmin[Rejudge]):
    """Rejudges."""

    list_display = ["pk", "reason", "state", "creator", "created", "ended"]
    list_filter = ["state"]
    list_select_related = ["creator"]
    search_fields = ["reason"]


@admin.register(HiddenRun)
class HiddenRunAdmin(RecordAdmin[HiddenRun]):
    """Hidden runs."""

    private: ClassVar[tuple[str, ...]] = ("body", "listings")
    list_display = ["rejudge", "submission", "state", "old_verdict", "verdict", "change"]
    list_filter = ["state", "change"]
    list_select_related = ["rejudge", "submission"]
    search_fields = ["=submission__public_id"]
