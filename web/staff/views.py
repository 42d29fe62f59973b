"""Staff pages: overview, queue, stuck jobs, workers, and the audit log."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from web.audit.access import member, staff_only
from web.audit.forms import ReasonForm
from web.discussion.queries import count_open_flags
from web.site.way_back import way_back
from web.staff import pages, queries
from web.staff.forms import AuditFilter, QueueFilter
from web.staff.queries import Stuck
from web.submissions import job_actions
from web.submissions.models import Submission


@require_safe
@staff_only
def overview(request: HttpRequest) -> HttpResponse:
    """Show the current state of the site."""
    return render(request, "staff/overview.html", {"page": pages.overview(count_open_flags())})


@require_safe
@staff_only
def queue(request: HttpRequest) -> HttpResponse:
    """Show the jobs that wait and run."""
    form = QueueFilter(request.GET)
    chosen = form.cleaned_data if form.is_valid() else {}
    after = request.GET.get("after", "")
    jobs = pages.queue(chosen, after)
    whole = not after and not any(chosen.values())  # a filtered list contains only submissions
    context = {"jobs": jobs, "form": form, "aside": pages.aside() if whole else None}
    return render(request, "staff/queue.html", context)


@require_safe
@staff_only
def stuck(request: HttpRequest) -> HttpResponse:
    """Show jobs that get no verdict without help, and what helps."""
    asked = request.GET.get("kind", "")
    kind = Stuck(asked) if asked in {*Stuck} else Stuck.EXPIRED
    return render(request, "staff/stuck.html", {"page": pages.stuck(kind, request.GET.get("before", ""))})


@require_safe
@staff_only
def workers(request: HttpRequest) -> HttpResponse:
    """Show the workers."""
    return render(request, "staff/workers.html", {"rows": pages.workers()})


@require_safe
@staff_only
def audit(request: HttpRequest) -> HttpResponse:
    """Show the actions of users with more rights than learners."""
    form = AuditFilter(request.GET)
    chosen = form.cleaned_data if form.is_valid() else {}
    entries, older = pages.audit_entries(chosen, request.GET.get("before", ""))
    return render(request, "staff/audit.html", {"entries": entries, "older": older, "form": form})


@require_POST
@staff_only
def job_cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    """Cancel a user's submission."""
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Enter a reason. The author will see it.")
        return redirect(way_back(request, reverse("staff-queue")))
    reason = form.cleaned_data["reason"]
    return _act_on_job(
        request,
        public_id,
        lambda found: job_actions.cancel(found, member(request), reason=reason),
        "cancelled",
    )


@require_POST
@staff_only
def job_requeue(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return a submission of a lost worker to the queue."""
    return _act_on_job(
        request, public_id, lambda found: job_actions.requeue(found, member(request)), "requeued"
    )


@require_POST
@staff_only
def job_again(request: HttpRequest, public_id: str) -> HttpResponse:
    """Rejudge a submission after repeated failures of the judge."""
    return _act_on_job(
        request, public_id, lambda found: job_actions.judge_again(found, member(request)), "requeued"
    )


def _act_on_job(
    request: HttpRequest, public_id: str, mend: Callable[[Submission], bool], done: str
) -> HttpResponse:
    found = queries.find_submission(public_id)
    if found is None:
        raise Http404
    if mend(found):
        messages.success(request, f"{public_id} {done}.")
    else:
        messages.error(request, f"{public_id} has changed state in the meantime. Nothing was changed.")
    return redirect(way_back(request, reverse("staff-queue")))
