"""Admin pages about imports, without the uploaded files."""

from typing import ClassVar

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.importing.models import ImportRun


@admin.register(ImportRun)
class ImportRunAdmin(RecordAdmin[ImportRun]):
    """Imports."""

    private: ClassVar[tuple[str, ...]] = ("archive", "report")
    list_display = ["format", "by", "state", "attempt", "worker", "queued", "finished"]
    list_filter = ["format", "state"]
    list_select_related = ["by"]
    search_fields = ["=by__username"]
