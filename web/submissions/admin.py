"""Staff pages about submissions: inspect, cancel and rejudge. Nothing is edited here."""

from typing import ClassVar, cast

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from web.accounts.models import User
from web.audit.audited import RecordAdmin
from web.submissions import job_actions
from web.submissions.models import (
    CaseResult,
    Event,
    Job,
    Listing,
    ProfileReport,
    Progress,
    Replay,
    Report,
    Submission,
    Tally,
)

_REASON = "by hand, in the administration"


@admin.action(description="Rejudge now, without a dry run")
def rejudge(model_admin: "SubmissionAdmin", request: HttpRequest, rows: QuerySet[Submission]) -> None:
    """Rejudge the chosen submissions, except those that are running."""
    staff = cast("User", request.user)
    queued = sum(job_actions.judge_again(submission, staff) for submission in rows)
    model_admin.message_user(request, f"{queued} of {rows.count()} will be rejudged.", messages.SUCCESS)


@admin.action(description="Cancel")
def cancel(model_admin: "SubmissionAdmin", request: HttpRequest, rows: QuerySet[Submission]) -> None:
    """Cancel the chosen submissions that are not judged yet."""
    staff = cast("User", request.user)
    ended = sum(job_actions.cancel(submission, staff, reason=_REASON) for submission in rows)
    model_admin.message_user(request, f"{ended} of {rows.count()} cancelled.", messages.SUCCESS)


@admin.register(Submission)
class SubmissionAdmin(RecordAdmin[Submission]):
    """Submissions."""

    list_display = ["public_id", "problem", "user", "language", "mode", "verdict", "status", "created"]
    list_filter = ["mode", "language", "job__state", "report__verdict"]
    list_select_related = ["problem", "user", "job", "report"]
    search_fields = ["=public_id", "=user__username", "=problem__slug"]
    actions = [rejudge, cancel]

    @admin.display
    def verdict(self, submission: Submission) -> str:
        """Return its verdict, if any."""
        return submission.report.verdict if hasattr(submission, "report") else ""

    @admin.display
    def status(self, submission: Submission) -> str:
        """Return the state of its job."""
        return submission.job.state


@admin.register(Job)
class JobAdmin(RecordAdmin[Job]):
    """Jobs."""

    list_display = [
        "submission",
        "state",
        "queue",
        "priority",
        "fair_share_rank",
        "queued",
        "attempt",
        "tries",
        "worker",
    ]
    list_filter = ["state", "priority"]
    list_select_related = ["submission"]
    search_fields = ["=submission__public_id", "=worker"]


@admin.register(Report)
class ReportAdmin(RecordAdmin[Report]):
    """Reports. Bodies hold hidden cases, which staff may see on the submission's page."""

    private: ClassVar[tuple[str, ...]] = ("body",)
    list_display = ["submission", "verdict", "ranked", "score_us", "gpu_model", "finished"]
    list_filter = ["verdict", "ranked"]
    list_select_related = ["submission"]
    search_fields = ["=submission__public_id"]


@admin.register(CaseResult)
class CaseResultAdmin(RecordAdmin[CaseResult]):
    """Outcomes of cases."""

    list_display = ["report", "position", "name", "group", "verdict", "wall_ms", "median_us"]
    list_filter = ["verdict", "group"]
    list_select_related = ["report"]
    search_fields = ["=report__submission__public_id"]


@admin.register(Listing)
class ListingAdmin(RecordAdmin[Listing]):
    """Listings, without their text."""

    private: ClassVar[tuple[str, ...]] = ("packed",)
    list_display = ["report", "kind", "size_bytes"]
    list_filter = ["kind"]
    list_select_related = ["report"]
    search_fields = ["=report__submission__public_id"]


@admin.register(Replay)
class ReplayAdmin(RecordAdmin[Replay]):
    """Replays of runs, without their data."""

    private: ClassVar[tuple[str, ...]] = ("packed",)
    list_display = ["report", "user", "case", "created"]
    list_select_related = ["report", "user"]
    search_fields = ["=report__submission__public_id", "=user__username"]


@admin.register(ProfileReport)
class ProfileReportAdmin(RecordAdmin[ProfileReport]):
    """Files of Nsight Compute, without their content."""

    private: ClassVar[tuple[str, ...]] = ("packed",)
    list_display = ["report", "user", "size_bytes", "created"]
    list_select_related = ["report", "user"]
    search_fields = ["=report__submission__public_id", "=user__username"]


@admin.register(Event)
class EventAdmin(RecordAdmin[Event]):
    """Steps of judgements."""

    list_display = ["submission", "sequence", "kind", "created"]
    list_filter = ["kind"]
    list_select_related = ["submission"]
    search_fields = ["=submission__public_id"]


@admin.register(Progress)
class ProgressAdmin(RecordAdmin[Progress]):
    """Progress of users on problems. `manage.py recount` rebuilds it from the reports."""

    list_display = ["user", "problem", "runs", "judged", "accepted", "solved", "latest"]
    list_select_related = ["user", "problem"]
    search_fields = ["=user__username", "=problem__slug"]


@admin.register(Tally)
class TallyAdmin(RecordAdmin[Tally]):
    """Tallies of all submissions to a problem. `manage.py recount` rebuilds them from the reports."""

    list_display = ["problem", "judged", "accepted", "solvers"]
    list_select_related = ["problem"]
    search_fields = ["=problem__slug"]
