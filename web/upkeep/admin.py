"""The list of backups in the admin."""

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.upkeep.models import Backup


@admin.register(Backup)
class BackupAdmin(RecordAdmin[Backup]):
    """Backups, latest first. The admin does not have the files."""

    list_display = ["name", "made", "size_bytes", "took_ms"]
    search_fields = ["name"]
