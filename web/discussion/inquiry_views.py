"""Private questions about a submission: the page of its author and the instructors, and their inbox.

For all other users, the pages do not exist.
"""

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.accounts.models import User
from web.discussion import inquiries, pages, services
from web.discussion.forms import PostForm
from web.discussion.models import Inquiry
from web.discussion.queries import ban_of
from web.site import cursors
from web.site.paging import first_rows
from web.submissions.models import Submission
from web.submissions.queries import visible_submissions

_STATES = {"open": False, "answered": True, "all": None}


def teachers_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Return a view for instructors and staff. It answers 404 to all other users."""

    @wraps(view)
    def enter(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not inquiries.may_teach(request.user):
            raise Http404
        return view(request, *args, **kwargs)

    return never_cache(enter)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def inquiry(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the private question about a submission. Its author asks here, and instructors answer."""
    submission = get_object_or_404(visible_submissions(request.user), public_id=public_id)
    found = inquiries.inquiry_of(submission)
    asks = inquiries.may_ask(request.user, submission)
    if not asks and (found is None or not inquiries.may_teach(request.user)):
        raise Http404
    form = PostForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        try:
            _write(cast("User", request.user), submission, found, asks=asks, text=form.cleaned_data["text"])
        except services.PostRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "Question sent." if asks else "Answer sent.")
            return redirect("inquiry", public_id)
    context = {
        "submission": submission,
        "inquiry": found,
        "page": pages.thread_page(request.user, found.thread, request.GET.get("after", ""))
        if found
        else None,
        "asks": asks,
        "form": form,
        "ban": ban_of(request.user),
        "html": _preview(form) if "preview" in request.POST and form.is_valid() else None,
    }
    return render(request, "discussion/inquiry.html", context, status=422 if form.errors else 200)


@require_POST
@teachers_only
def close(request: HttpRequest, public_id: str) -> HttpResponse:
    """Mark a private question as answered."""
    submission = get_object_or_404(visible_submissions(request.user), public_id=public_id)
    found = inquiries.inquiry_of(submission)
    if found is None:
        raise Http404
    if services.close(cast("User", request.user), found):
        messages.success(request, "Marked as answered.")
    return redirect("inbox")


@require_safe
@teachers_only
def inbox(request: HttpRequest) -> HttpResponse:
    """List the private questions of all users. By default, only those without an answer are listed."""
    asked = request.GET.get("status", "open")
    status = asked if asked in _STATES else "open"
    before = cursors.decode_key(request.GET.get("before", ""))
    rows, more = first_rows(inquiries.list_inquiries(answered=_STATES[status], before=before))
    context = {
        "rows": rows,
        "older": rows[-1].pk if more else None,
        "status": status,
        "statuses": [("open", "Open"), ("answered", "Answered"), ("all", "All")],
    }
    return render(request, "discussion/inbox.html", context)


def _write(person: User, submission: Submission, found: Inquiry | None, *, asks: bool, text: str) -> None:
    if asks:
        services.ask(person, submission, text=text)
    elif found is not None:
        services.answer(person, found, text=text)


def _preview(form: PostForm) -> str:
    return pages.render_post(form.cleaned_data["text"].replace("\r\n", "\n"))
