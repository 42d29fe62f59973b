"""Admin pages about nodes and GPUs.

They are read-only, but staff can remove a node that will not come back.
"""

from django.contrib import admin

from web.audit.audited import RecordAdmin, RemovableAdmin
from web.audit.models import AuditKind
from web.fleet.models import Gpu, Node, PersonalNode, Worker


@admin.register(Node)
class NodeAdmin(RemovableAdmin[Node]):
    """Nodes. If a deleted node is still running, it records itself again."""

    list_display = ["name", "state", "message", "heartbeat", "drained", "first_seen"]
    list_filter = ["state", "drained"]
    search_fields = ["name"]

    def kind_of_deletion(self) -> AuditKind:
        """Return the kind of the audit entry for the removal of a node."""
        return AuditKind.NODE_REMOVE


@admin.register(Worker)
class WorkerAdmin(RecordAdmin[Worker]):
    """Workers. Stopped workers are deleted automatically after a day."""

    list_display = ["name", "node", "state", "busy", "concurrency", "version", "heartbeat"]
    list_filter = ["state", "version", "node"]
    list_select_related = ["node"]
    search_fields = ["name", "node__name"]


@admin.register(Gpu)
class GpuAdmin(RemovableAdmin[Gpu]):
    """GPUs."""

    list_display = ["uuid", "model", "node", "health", "reason", "since"]
    list_filter = ["health", "model", "node"]
    list_select_related = ["node"]
    search_fields = ["uuid", "node__name"]


@admin.register(PersonalNode)
class PersonalNodeAdmin(RecordAdmin[PersonalNode]):
    """Personal nodes of users."""

    list_display = ["name", "owner", "hardware", "version", "joined", "heartbeat"]
    list_select_related = ["owner"]
    exclude = ["digest"]
    search_fields = ["=owner__username", "name"]
