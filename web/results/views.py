"""Pages of submissions: submit, follow, read the report, rejudge."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from problems.vocabulary import Language, Mode
from web.accounts.models import User
from web.catalog.access import problem_or_404
from web.results import pages
from web.results.assembly import assembly_of
from web.results.filters import SubmissionFilter
from web.results.forms import ProgramForm
from web.results.list_page import list_page
from web.results.permalinks import visible_or_404
from web.site.htmx_request import PageRequest
from web.submissions import queries, services
from web.submissions.models import Listing, ListingKind, Submission


@require_POST
def create(request: PageRequest, slug: str) -> HttpResponse:
    """Submit the program of the editor. Scripts get the live panel; other clients its page."""
    problem = problem_or_404(request.user, slug)
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("problem", args=[slug]))
    form = ProgramForm(request.POST, problem=problem)
    if not form.is_valid():
        return _refuse(request, form.complaint())
    try:
        submission = _submit(request, form, slug)
    except services.SubmissionRefused as refusal:
        return _refuse(request, str(refusal))
    return _answer(request, submission) if request.htmx else redirect("submission", submission.public_id)


@require_safe
@login_required
def submission_list(request: PageRequest) -> HttpResponse:
    """Show the submissions of a user, newest first, filtered. htmx gets only the list."""
    chosen = SubmissionFilter(request.GET).chosen()
    page = list_page(cast("User", request.user), chosen)
    partial = request.htmx and not request.htmx.history_restore_request
    template = "submissions/list_rows.html" if partial else "submissions/list.html"
    return render(request, template, {"page": page, "chosen": chosen})


@require_safe
@never_cache
def report(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show only the report, or the live panel while there is none."""
    return _answer(request, visible_or_404(request, public_id))


@require_safe
def listing(request: HttpRequest, public_id: str, kind: str) -> HttpResponse:
    """Show a compiler listing of the program, with line numbers."""
    submission = visible_or_404(request, public_id)
    page = pages.listing_page(submission, _listing(submission, kind))
    return render(request, "submissions/listing.html", {"page": page})


@require_safe
def listing_text(request: HttpRequest, public_id: str, kind: str) -> HttpResponse:
    """Return the listing as plain text."""
    found = _listing(visible_or_404(request, public_id), kind)
    return HttpResponse(found.text, content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
def assembly(request: HttpRequest, public_id: str, kind: str) -> HttpResponse:
    """Show a listing next to the source, for the console."""
    submission = visible_or_404(request, public_id)
    shown = assembly_of(submission, _listing(submission, kind))
    return render(request, "submissions/assembly.html", {"assembly": shown})


@require_POST
@login_required
def rejudge(request: HttpRequest, public_id: str) -> HttpResponse:
    """Rejudge a submission. Staff only."""
    if not request.user.is_staff:
        raise PermissionDenied
    if services.rejudge(visible_or_404(request, public_id)):
        messages.success(request, "The submission will be rejudged.")
    else:
        messages.error(request, "The submission is already being judged.")
    return redirect("submission", public_id)


@require_POST
@login_required
def cancel(request: PageRequest, public_id: str) -> HttpResponse:
    """Cancel the user's own submission. Scripts learn the rest from the event stream."""
    found = get_object_or_404(Submission, public_id=public_id, user=request.user)
    cancelled = services.cancel(found)
    if request.htmx:
        return HttpResponse(status=204)
    if not cancelled:
        messages.error(request, "The submission was judged before it could be cancelled.")
    return redirect("submission", public_id)


def _listing(submission: Submission, kind: str) -> Listing:
    found = queries.find_listing(submission, ListingKind(kind)) if kind in ListingKind else None
    if found is None:
        raise Http404
    return found


def _submit(request: HttpRequest, form: ProgramForm, slug: str) -> Submission:
    return services.submit(
        cast("User", request.user),
        problem_or_404(request.user, slug),
        language=Language(form.cleaned_data["language"]),
        source=form.cleaned_data["source"],
        mode=Mode(form.cleaned_data["mode"]),
        sizes=form.sizes(),
        values=form.values(),
        seed=form.seed(),
        gpu_model=form.chosen_gpu(),
        personal_node=form.personal_node(),
        profiled=form.profiled_run(),
        idempotency_key=form.idempotency_key(),
    )


def _answer(request: HttpRequest, submission: Submission) -> HttpResponse:
    page = pages.submission_page(submission, request.user)
    # The page of a submission needs other links than the console of the editor.
    return render(request, "submissions/answer.html", {"page": page, "standalone": "alone" in request.GET})


def _refuse(request: HttpRequest, reason: str) -> HttpResponse:
    return render(request, "submissions/refused.html", {"reason": reason}, status=422)
