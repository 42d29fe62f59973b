"""The backups that were taken, to look at."""

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.upkeep.models import Backup


@admin.register(Backup)
class BackupAdmin(RecordAdmin[Backup]):
    """Backups, the latest first. The files are not here."""

    list_display = ["name", "made", "size_bytes", "took_ms"]
    search_fields = ["name"]
