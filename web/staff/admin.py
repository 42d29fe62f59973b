"""Staff pages about the audit log and rejudges, to look at. The pages under /staff show them better."""

from typing import ClassVar

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group

from web.staff.audited import AuditedAdmin, RecordAdmin
from web.staff.models import Act, HiddenRun, Rejudge

admin.site.site_header = admin.site.site_title = "Warpcourt"
admin.site.index_title = "Administration"
admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(AuditedAdmin[Group], DjangoGroupAdmin):
    """Groups of people with the same rights."""

    told: ClassVar[tuple[str, ...]] = ("name", "permissions")


@admin.register(Act)
class ActAdmin(RecordAdmin[Act]):
    """The audit log."""

    list_display = ["created", "actor_name", "kind", "target_text", "target_kind"]
    list_filter = ["kind"]
    search_fields = ["=actor_name", "target_text"]


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
