"""Admin pages about problems."""

from typing import ClassVar

from django.contrib import admin
from django.http import HttpRequest

from web.audit.audited import AuditedAdmin, RecordAdmin
from web.audit.models import AuditKind
from web.catalog.models import Problem, Tagging

_EDITED = ("published", "on_personal_nodes")


@admin.register(Problem)
class ProblemAdmin(AuditedAdmin[Problem]):
    """Problems. Staff publish or withdraw them, and allow runs on personal nodes.

    Their content comes from the packages.
    """

    logged_fields: ClassVar[tuple[str, ...]] = _EDITED
    list_display = ["slug", "title", "difficulty", "track_day", *_EDITED, "updated"]
    list_filter = [*_EDITED, "difficulty"]
    list_editable = _EDITED
    search_fields = ["slug", "title"]

    def get_readonly_fields(self, request: HttpRequest, obj: Problem | None = None) -> list[str]:  # noqa: ARG002 - Django's signature
        """Return all fields except those that staff edit."""
        return [column.name for column in Problem._meta.fields if column.name not in _EDITED]  # noqa: SLF001 - Django's public name for it

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Return False: `manage.py loadproblems` adds problems."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Problem | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Return False: submissions refer to problems. Withdraw the problem instead."""
        return False

    def kind_of_change(self, obj: Problem, changed: list[str]) -> AuditKind:
        """Return the kind of the audit entry. Publishing and withdrawing have their own kinds."""
        if "published" not in changed:
            return AuditKind.CHANGE
        return AuditKind.PUBLISH if obj.published else AuditKind.WITHDRAW


@admin.register(Tagging)
class TaggingAdmin(RecordAdmin[Tagging]):
    """Tags of problems, from their packages."""

    list_display = ["name", "problem"]
    list_select_related = ["problem"]
    search_fields = ["=name", "=problem__slug"]
