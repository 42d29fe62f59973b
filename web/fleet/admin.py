"""Staff pages about nodes and GPUs: to look at, and to remove a node that will not come back."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from web.fleet.models import Gpu, Node


@admin.register(Node)
class NodeAdmin(admin.ModelAdmin[Node]):
    """Nodes. A node that is deleted and lives records itself again."""

    list_display = ["name", "state", "message", "heartbeat", "first_seen"]
    list_filter = ["state"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:  # noqa: ARG002 - Django's signature
        """All of them."""
        return [column.name for column in Node._meta.fields]  # noqa: SLF001 - Django's public name for it

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody."""
        return False


@admin.register(Gpu)
class GpuAdmin(admin.ModelAdmin[Gpu]):
    """GPUs."""

    list_display = ["uuid", "model", "node", "health", "reason", "since"]
    list_filter = ["health", "model", "node"]
    list_select_related = ["node"]
    search_fields = ["uuid", "node__name"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:  # noqa: ARG002 - Django's signature
        """All of them."""
        return [column.name for column in Gpu._meta.fields]  # noqa: SLF001 - Django's public name for it

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody."""
        return False
