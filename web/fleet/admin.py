"""Staff pages about nodes and GPUs: to look at, and to remove a node that will not come back."""

from django.contrib import admin

from web.fleet.models import Gpu, Node
from web.staff.audited import RemovableAdmin
from web.staff.models import ActKind


@admin.register(Node)
class NodeAdmin(RemovableAdmin[Node]):
    """Nodes. A node that is deleted and lives records itself again."""

    list_display = ["name", "state", "message", "heartbeat", "first_seen"]
    list_filter = ["state"]
    search_fields = ["name"]

    def kind_of_deletion(self) -> ActKind:
        """It is removed."""
        return ActKind.NODE_REMOVE


@admin.register(Gpu)
class GpuAdmin(RemovableAdmin[Gpu]):
    """GPUs."""

    list_display = ["uuid", "model", "node", "health", "reason", "since"]
    list_filter = ["health", "model", "node"]
    list_select_related = ["node"]
    search_fields = ["uuid", "node__name"]
