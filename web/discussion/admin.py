"""Read-only admin pages about discussions. Staff hide posts and ban users on the staff pages."""

from django.contrib import admin

from web.audit.audited import RecordAdmin
from web.discussion.models import Ban, Flag, Inquiry, Post, Revision, Solution, Thread, Vote


@admin.register(Thread)
class ThreadAdmin(RecordAdmin[Thread]):
    """Threads."""

    list_display = ["title", "problem", "author", "replies", "shown", "latest"]
    list_filter = ["shown"]
    list_select_related = ["problem", "author"]
    search_fields = ["title", "=author__username", "=problem__slug"]


@admin.register(Post)
class PostAdmin(RecordAdmin[Post]):
    """Posts."""

    list_display = ["pk", "thread", "author", "state", "created", "edited"]
    list_filter = ["state"]
    list_select_related = ["thread", "author"]
    search_fields = ["text", "=author__username"]


@admin.register(Revision)
class RevisionAdmin(RecordAdmin[Revision]):
    """Earlier texts of posts."""

    list_display = ["post", "written", "replaced"]
    list_select_related = ["post"]
    search_fields = ["=post__author__username"]


@admin.register(Flag)
class FlagAdmin(RecordAdmin[Flag]):
    """Reports of posts."""

    list_display = ["post", "person", "reason", "answer", "created"]
    list_filter = ["answer"]
    list_select_related = ["post", "person"]
    search_fields = ["=person__username", "reason"]


@admin.register(Inquiry)
class InquiryAdmin(RecordAdmin[Inquiry]):
    """Private questions about submissions."""

    list_display = ["thread", "submission", "answered"]
    list_select_related = ["thread", "submission"]
    search_fields = ["=thread__author__username"]


@admin.register(Solution)
class SolutionAdmin(RecordAdmin[Solution]):
    """Solutions in the gallery."""

    list_display = ["submission", "problem", "technique", "votes"]
    list_filter = ["language"]
    list_select_related = ["submission", "problem"]
    search_fields = ["=submission__public_id", "=problem__slug"]


@admin.register(Vote)
class VoteAdmin(RecordAdmin[Vote]):
    """Votes for solutions."""

    list_display = ["solution", "person", "created"]
    list_select_related = ["solution", "person"]
    search_fields = ["=person__username"]


@admin.register(Ban)
class BanAdmin(RecordAdmin[Ban]):
    """Bans from discussions."""

    list_display = ["person", "reason", "created", "until"]
    list_select_related = ["person"]
    search_fields = ["=person__username"]
