"""Base classes for all admin pages. They log every change and cope with many rows.

`AuditedAdmin` copies Django's own log into the audit log, where rows can't be deleted in the admin.
`RecordAdmin` is for rows that result from what users and workers do. These rows are read-only.
"""

from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.core.paginator import Paginator
from django.db.models import Field, Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.functional import cached_property

from web.audit.models import AuditKind
from web.audit.services import log

M = TypeVar("M", bound=Model)
_COUNTED = 10_000


class BoundedPaginator(Paginator[Any]):
    """Counts rows only up to a limit, because counting a million rows takes longer than showing fifty."""

    @cached_property
    def count(self) -> int:
        """Return the number of rows, at most ten thousand."""
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]  # the administration gives no other
        return rows[:_COUNTED].count()


class AuditedAdmin(admin.ModelAdmin[M]):
    """An admin page that writes its changes to the audit log, with the values of `logged_fields`."""

    logged_fields: ClassVar[tuple[str, ...]] = ()
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50

    def kind_of_change(self, obj: M, changed: list[str]) -> AuditKind:  # noqa: ARG002 - for those that tell them apart
        """Return the kind of the audit entry for a change of the fields `changed` of `obj`."""
        return AuditKind.CHANGE

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> list[dict[str, Any]]:
        """Return Django's message, extended by the old and new values."""
        message: list[dict[str, Any]] = super().construct_change_message(request, form, formsets, add)
        if message and not add:
            changed = list(form.changed_data)
            message[0]["audit"] = {"changed": changed, **self._values(form, changed)}
        return message

    def log_addition(self, request: HttpRequest, obj: M, message: Any) -> LogEntry:
        """Log that `obj` was added."""
        log(request.user, AuditKind.ADD, obj)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: M, message: Any) -> LogEntry:
        """Log the change of `obj`."""
        details = message[0].pop("audit", {}) if isinstance(message, list) and message else {"text": message}
        changed = details.get("changed", [])
        log(request.user, self.kind_of_change(obj, changed), obj, **details)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[M]) -> Any:
        """Log the deletion of all rows in `queryset`."""
        for obj in queryset:
            log(request.user, self.kind_of_deletion(), obj)
        return super().log_deletions(request, queryset)

    def kind_of_deletion(self) -> AuditKind:
        """Return the kind of the audit entry for a deletion."""
        return AuditKind.DELETE

    def _values(self, form: "ModelForm[M]", changed: list[str]) -> dict[str, list[object]]:
        return {
            name: [_plain(form.initial.get(name)), _plain(form.cleaned_data.get(name))]
            for name in changed
            if name in self.logged_fields
        }


class RecordAdmin(AuditedAdmin[M]):
    """A read-only page: rows can't be added, changed or deleted here. `private` names the hidden columns."""

    private: ClassVar[tuple[str, ...]] = ()
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        """Return the rows without their private columns."""
        return super().get_queryset(request).defer(*self.private)

    def get_fields(self, request: HttpRequest, obj: M | None = None) -> list[Any]:  # noqa: ARG002 - Django's signature
        """Return all columns except the private ones."""
        columns: list[Field[Any, Any]] = list(self.model._meta.fields)  # noqa: SLF001 - Django's public name for it
        return [column.name for column in columns if column.name not in self.private]

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Return False: rows can't be added here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Return False: rows can't be changed here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Return False: rows can't be deleted here."""
        return False


class RemovableAdmin(RecordAdmin[M]):
    """A read-only page on which staff may delete rows."""

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Return whether the user has the permission to delete rows."""
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


def _plain(value: object) -> object:
    """Return a value that JSON can hold. Related rows become their names."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple, QuerySet)):
        return sorted(str(entry) for entry in value)
    return str(value)
