"""Staff pages about versions."""

from typing import ClassVar

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.packages.models import PackageVersion


@admin.register(PackageVersion)
class PackageVersionAdmin(RecordAdmin[PackageVersion]):
    """Versions of problems, without their packages."""

    private: ClassVar[tuple[str, ...]] = ("archive",)
    list_display = ["problem", "number", "origin", "by", "note", "archived", "created"]
    list_filter = ["origin", "archived"]
    list_select_related = ["problem", "by"]
    search_fields = ["=problem__slug", "note"]
