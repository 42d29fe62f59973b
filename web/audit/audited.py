"""What every page of the administration has in common: it is noted what is done, and rows may be many.

`AuditedAdmin` mirrors Django's own log into the audit log, which nobody can delete there. `RecordAdmin` is
for what follows from what people and workers do: to look at, never to edit.
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
    """Counts no further than people page. Counting a million rows takes longer than showing fifty."""

    @cached_property
    def count(self) -> int:
        """How many rows there are, or ten thousand."""
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]  # the administration gives no other
        return rows[:_COUNTED].count()


class AuditedAdmin(admin.ModelAdmin[M]):
    """An administration whose changes are in the audit log, with the values of `logged_fields`."""

    logged_fields: ClassVar[tuple[str, ...]] = ()
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50

    def kind_of_change(self, obj: M, changed: list[str]) -> AuditKind:  # noqa: ARG002 - for those that tell them apart
        """Which act it is to change the fields `changed` of `obj`."""
        return AuditKind.CHANGE

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> list[dict[str, Any]]:
        """Django's message, with the values before and now beside it."""
        message: list[dict[str, Any]] = super().construct_change_message(request, form, formsets, add)
        if message and not add:
            changed = list(form.changed_data)
            message[0]["audit"] = {"changed": changed, **self._values(form, changed)}
        return message

    def log_addition(self, request: HttpRequest, obj: M, message: Any) -> LogEntry:
        """Note that something was added."""
        log(request.user, AuditKind.ADD, obj)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: M, message: Any) -> LogEntry:
        """Note what was changed."""
        details = message[0].pop("audit", {}) if isinstance(message, list) and message else {"text": message}
        changed = details.get("changed", [])
        log(request.user, self.kind_of_change(obj, changed), obj, **details)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[M]) -> Any:
        """Note what was deleted."""
        for obj in queryset:
            log(request.user, self.kind_of_deletion(), obj)
        return super().log_deletions(request, queryset)

    def kind_of_deletion(self) -> AuditKind:
        """Which act it is to delete one."""
        return AuditKind.DELETE

    def _values(self, form: "ModelForm[M]", changed: list[str]) -> dict[str, list[object]]:
        return {
            name: [_plain(form.initial.get(name)), _plain(form.cleaned_data.get(name))]
            for name in changed
            if name in self.logged_fields
        }


class RecordAdmin(AuditedAdmin[M]):
    """Rows that nobody adds, edits or deletes here. `private` names the columns that are not shown."""

    private: ClassVar[tuple[str, ...]] = ()
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        """Without what is private."""
        return super().get_queryset(request).defer(*self.private)

    def get_fields(self, request: HttpRequest, obj: M | None = None) -> list[Any]:  # noqa: ARG002 - Django's signature
        """All columns but the private ones."""
        columns: list[Field[Any, Any]] = list(self.model._meta.fields)  # noqa: SLF001 - Django's public name for it
        return [column.name for column in columns if column.name not in self.private]

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody."""
        return False


class RemovableAdmin(RecordAdmin[M]):
    """Records that staff may remove."""

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Those who may delete."""
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


def _plain(value: object) -> object:
    """A value as JSON can hold it; related rows by their names."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple, QuerySet)):
        return sorted(str(entry) for entry in value)
    return str(value)
