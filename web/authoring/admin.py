"""Admin pages about workspaces. They do not show the contents of files."""

from typing import ClassVar

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.authoring.models import Comment, Content, Membership, ProofRun, Revision, Workspace, WorkspaceFile


@admin.register(Workspace)
class WorkspaceAdmin(RecordAdmin[Workspace]):
    """Workspaces."""

    private: ClassVar[tuple[str, ...]] = ("touched",)
    list_display = ["slug", "title", "owner", "state", "revision", "changed"]
    list_filter = ["state"]
    list_select_related = ["owner"]
    search_fields = ["slug", "title", "=owner__username"]


@admin.register(WorkspaceFile)
class WorkspaceFileAdmin(RecordAdmin[WorkspaceFile]):
    """Files of workspaces, by their names."""

    list_display = ["workspace", "path"]
    list_select_related = ["workspace", "content"]
    search_fields = ["=workspace__slug", "path"]


@admin.register(Content)
class ContentAdmin(RecordAdmin[Content]):
    """Contents of files, by size."""

    private: ClassVar[tuple[str, ...]] = ("data",)
    list_display = ["workspace", "digest", "size_bytes"]
    list_select_related = ["workspace"]
    search_fields = ["=workspace__slug", "=digest"]


@admin.register(Membership)
class MembershipAdmin(RecordAdmin[Membership]):
    """Memberships of workspaces."""

    list_display = ["workspace", "user", "role", "created"]
    list_select_related = ["workspace", "user"]
    list_filter = ["role"]
    search_fields = ["=workspace__slug", "=user__username"]


@admin.register(Revision)
class RevisionAdmin(RecordAdmin[Revision]):
    """The history of workspaces."""

    private: ClassVar[tuple[str, ...]] = ("tree",)
    list_display = ["workspace", "number", "by", "note", "created"]
    list_select_related = ["workspace", "by"]
    search_fields = ["=workspace__slug", "=by__username"]


@admin.register(Comment)
class CommentAdmin(RecordAdmin[Comment]):
    """Comments on files."""

    list_display = ["workspace", "path", "line", "by", "created", "resolved"]
    list_select_related = ["workspace", "by"]
    search_fields = ["=workspace__slug", "=by__username"]


@admin.register(ProofRun)
class ProofRunAdmin(RecordAdmin[ProofRun]):
    """Proofs and previews."""

    private: ClassVar[tuple[str, ...]] = ("report", "progress")
    list_display = ["workspace", "kind", "state", "holds", "by", "attempt", "worker", "queued"]
    list_filter = ["kind", "state"]
    list_select_related = ["workspace", "by"]
    search_fields = ["=workspace__slug", "=by__username"]
