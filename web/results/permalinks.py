"""Pages under the permanent address of a submission. For users without access, none of them exists."""

from hashlib import blake2b
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_cookie

from web.results import pages
from web.results.card import card
from web.results.diff_page import diff_page
from web.results.performance import performance
from web.results.profile_reports import attached_report
from web.submissions import queries, services
from web.submissions.models import Submission


@require_safe
@never_cache
def detail(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the permalink of a submission, live until it is judged."""
    submission = visible_or_404(request, public_id)
    page = pages.submission_page(submission, request.user)
    shown = {
        "page": page,
        "lines": pages.source_lines(submission, page.findings),
        "performance": performance(submission, page.report, request.user) if page.report else None,
        "mine": submission.user_id == request.user.pk,
    }
    return render(request, "submissions/detail.html", shown)


@require_safe
@never_cache
def diff(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the changes since another submission. For an unknown one, the status is 404."""
    submission = visible_or_404(request, public_id)
    page = diff_page(
        submission,
        request.user,
        against=request.GET.get("against", "").strip(),
        view=request.GET.get("view", ""),
    )
    return render(request, "submissions/diff.html", {"page": page}, status=404 if page.missing else 200)


@require_safe
@vary_on_cookie
def picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return the submission as a small SVG.

    Caches may store it, but must revalidate it each time, and only users with access get it. So it disappears
    as soon as its author stops sharing it.
    """
    drawn = card(visible_or_404(request, public_id))
    response = HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8")
    response["Cache-Control"] = "private, no-cache"
    response["ETag"] = quote_etag(blake2b(drawn.encode(), digest_size=12).hexdigest())
    return cast("HttpResponse", get_conditional_response(request, response["ETag"], response=response))


@require_safe
@never_cache
def profile_report(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return the file of Nsight Compute about a profiled run, for users who may see the source."""
    found = queries.find_profile_report(visible_or_404(request, public_id))
    if found is None:
        raise Http404
    return attached_report(found, public_id)


@require_POST
@login_required
def share(request: HttpRequest, public_id: str) -> HttpResponse:
    """Share the user's own submission with users who solved the problem, or stop sharing it."""
    submission = get_object_or_404(Submission, public_id=public_id, user=request.user)
    if request.POST.get("shared") == "yes":
        services.share(submission)
        messages.success(request, "Users who solved the problem can now see this submission.")
    else:
        services.withdraw(submission)
        messages.success(request, "This submission is no longer shared.")
    return redirect("submission", public_id)


def visible_or_404(request: HttpRequest, public_id: str) -> Submission:
    """Return the submission with that id if the current user may see it.

    Raises:
        Http404: there is none, or not for this user.
    """
    return get_object_or_404(queries.visible_submissions(request.user), public_id=public_id)
