"""Staff pages about submissions: to look at, to cancel and to judge again. Nothing is edited here."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from web.submissions import services
from web.submissions.models import Submission


@admin.action(description="Judge again")
def rejudge(model_admin: "SubmissionAdmin", request: HttpRequest, rows: QuerySet[Submission]) -> None:
    """Queue the chosen submissions again, those aside that are being judged."""
    queued = sum(services.rejudge(submission) for submission in rows)
    model_admin.message_user(request, f"{queued} of {rows.count()} will be judged again.", messages.SUCCESS)


@admin.action(description="Cancel")
def cancel(model_admin: "SubmissionAdmin", request: HttpRequest, rows: QuerySet[Submission]) -> None:
    """Cancel the chosen submissions that are not judged yet."""
    ended = sum(services.cancel(submission) for submission in rows)
    model_admin.message_user(request, f"{ended} of {rows.count()} cancelled.", messages.SUCCESS)


@admin.register(Submission)
class SubmissionAdmin(admin.ModelAdmin[Submission]):
    """Submissions."""

    list_display = ["public_id", "problem", "user", "language", "mode", "verdict", "status", "created"]
    list_filter = ["mode", "language", "job__status", "report__verdict", "problem"]
    list_select_related = ["problem", "user", "job", "report"]
    search_fields = ["public_id", "user__username"]
    date_hierarchy = "created"
    actions = [rejudge, cancel]

    @admin.display
    def verdict(self, submission: Submission) -> str:
        """Its verdict, if any."""
        return submission.report.verdict if hasattr(submission, "report") else ""

    @admin.display
    def status(self, submission: Submission) -> str:
        """Where its job stands."""
        return submission.job.status

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:  # noqa: ARG002 - Django's signature
        """All of them."""
        return [column.name for column in Submission._meta.fields]  # noqa: SLF001 - Django's public name for it

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's signature
        """Nobody: a verdict is part of the record."""
        return False
