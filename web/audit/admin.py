"""The read-only admin page of the audit log. The page under /staff is easier to read."""

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.audit.models import AuditEntry


@admin.register(AuditEntry)
class AuditEntryAdmin(RecordAdmin[AuditEntry]):
    """The audit log."""

    list_display = ["created", "actor_name", "kind", "target_text", "target_kind"]
    list_filter = ["kind"]
    search_fields = ["=actor_name", "target_text"]
