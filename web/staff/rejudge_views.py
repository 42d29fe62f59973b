"""Pages of rejudges: choose submissions, check what would change, apply or discard."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.audit.access import member, staff_only
from web.audit.forms import ReasonForm
from web.authoring.queries import find_workspace
from web.rejudges import pages, queries, rejudging
from web.rejudges.models import Rejudge
from web.rejudges.rejudging import MAX_RUNS
from web.site.asking import Question, ask
from web.site.htmx_request import PageRequest
from web.staff.forms import ChoiceForm


@require_safe
@staff_only
def rejudge_list(request: HttpRequest) -> HttpResponse:
    """Show rejudges, newest first."""
    rows, older = pages.rejudge_list(request.GET.get("before", ""))
    return render(request, "staff/rejudges.html", {"rows": rows, "older": older})


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def rejudge_new(request: HttpRequest) -> HttpResponse:
    """Choose submissions by the query string, show their number, and start a rejudge."""
    choice = ChoiceForm(request.GET or None)
    reason = ReasonForm(request.POST or None)
    found = queries.choose(choice.cleaned_data) if choice.is_valid() else None
    if request.method == "POST" and found is not None and reason.is_valid():
        try:
            rejudge = rejudging.start(
                member(request), found, reason=reason.cleaned_data["reason"], chosen=choice.words()
            )
        except rejudging.RejudgeRefused as refusal:
            reason.add_error(None, str(refusal))
        else:
            return redirect("staff-rejudge", rejudge.pk)
    count = found.order_by()[: MAX_RUNS + 1].count() if found is not None else None
    context = {"choice": choice, "form": reason, "count": count, "limit": MAX_RUNS}
    return render(request, "staff/rejudge_new.html", context, status=422 if reason.errors else 200)


@require_safe
@staff_only
def rejudge(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the current result of a rejudge. htmx gets the part that changes.

    Staff apply the preview of a version on the page of its problem, where versions go live.
    """
    found = get_object_or_404(Rejudge.objects.select_related("creator", "package__problem"), pk=pk)
    if found.package and find_workspace(member(request), found.package.problem.slug):
        return redirect("author-rejudge", found.package.problem.slug, pk)
    page = pages.rejudge_page(found, request.GET.get("change", ""), request.GET.get("after", ""))
    template = "staff/rejudge_state.html" if cast("PageRequest", request).htmx else "staff/rejudge.html"
    return render(request, template, {"page": page, "rejudge": found})


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def rejudge_apply(request: HttpRequest, pk: int) -> HttpResponse:
    """Make the result visible, after a confirmation."""
    found = _rejudge(pk)
    if request.method != "POST":
        return ask(request, _applying(found, verdicts_only=request.GET.get("scope") == "verdicts"))
    verdicts_only = request.POST.get("scope") == "verdicts"
    if found.package_id:
        messages.error(
            request, "This rejudge previews a version. Its verdicts are applied when the version goes live."
        )
    elif not rejudging.apply(found, member(request), verdicts_only=verdicts_only):
        messages.error(request, "This rejudge is not ready, or was already applied or discarded.")
    return redirect("staff-rejudge", pk)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def rejudge_discard(request: HttpRequest, pk: int) -> HttpResponse:
    """Discard the result, after a confirmation. All verdicts stay."""
    found = _rejudge(pk)
    if request.method != "POST":
        question = Question(
            "Discard this rejudge?",
            "This deletes its results. All verdicts and times stay.",
            "Discard",
            found.reason,
            reverse("staff-rejudge", args=[pk]),
        )
        return ask(request, question)
    if not rejudging.discard(found, member(request)):
        messages.error(request, "This rejudge is not ready, or was already applied or discarded.")
    return redirect("staff-rejudge", pk)


@require_POST
@staff_only
def rejudge_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop a running rejudge."""
    if not rejudging.cancel(_rejudge(pk), member(request)):
        messages.error(request, "This rejudge is no longer running.")
    return redirect("staff-rejudge", pk)


def _applying(found: Rejudge, *, verdicts_only: bool) -> Question:
    progress = pages.rows([found])[0].progress
    reports = progress.verdicts if verdicts_only else progress.done
    return Question(
        "Apply the changed verdicts?" if verdicts_only else "Apply all results, including times?",
        f"Learners see the new reports at once. Replaced reports: up to {reports}. "
        "You can't restore the old ones.",
        "Apply",
        found.reason,
        reverse("staff-rejudge", args=[found.pk]),
        sent={"scope": "verdicts" if verdicts_only else "all"},
        dangerous=False,
    )


def _rejudge(pk: int) -> Rejudge:
    return get_object_or_404(Rejudge, pk=pk)
