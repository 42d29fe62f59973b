"""The HTTP interface of drafts for the editor: read, save, and view earlier texts; notes and bookmarks.

All of them are private.
"""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from problems.vocabulary import Language
from web.accounts.models import User
from web.catalog.access import problem_or_404
from web.catalog.models import Problem
from web.colours import colour
from web.drafts import notes, queries, services
from web.drafts.forms import Save, SaveMalformed
from web.drafts.models import Draft
from web.drafts.past import past_versions
from web.site.htmx_request import PageRequest
from web.submissions.queries import list_submissions


@require_http_methods(["GET", "PUT"])
@never_cache
def draft(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    """Return the draft as JSON. `revision` is 0 if there is none. PUT saves it.

    A PUT that is based on another revision than the current one answers 409 with the current draft.
    """
    if not request.user.is_authenticated:
        return JsonResponse({"error": "Sign in to keep drafts on the server."}, status=401)
    problem, known = _addressed(request, slug, language)
    if request.method == "GET":
        return JsonResponse(_to_json(queries.find_draft(request.user, problem, known)))
    try:
        save = Save.parse(request.body)
        saved = services.save_draft(
            request.user,
            problem,
            known,
            source=save.source,
            expected=save.expected,
            keep=save.keep,
        )
    except services.DraftConflict as conflict:
        return JsonResponse({"error": str(conflict), **_to_json(conflict.current)}, status=409)
    except (services.DraftUnacceptable, SaveMalformed) as refusal:
        return JsonResponse({"error": str(refusal)}, status=422)
    return JsonResponse({"revision": saved.revision, "saved": saved.saved})


@require_safe
@never_cache
def history(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    """Return the earlier texts of the draft and the submissions as a fragment of the page."""
    problem, known = _addressed(request, slug, language)
    versions = past_versions(request.user, problem, known)
    context = {"versions": versions, "kept_days": services.KEPT_FOR.days}
    return render(request, "drafts/history.html", context)


@require_safe
@never_cache
def revision(request: HttpRequest, slug: str, language: str, number: int) -> HttpResponse:
    """Return an earlier text as JSON: `source`, and `html` that is highlighted and safe to show."""
    problem, known = _addressed(request, slug, language)
    found = queries.find_draft(request.user, problem, known)
    kept = queries.find_revision(found, number) if found else None
    if kept is None:
        raise Http404("Revision not found.")
    return JsonResponse({"source": kept.source, "html": colour(kept.source, language)})


@require_safe
@never_cache
def submitted(request: HttpRequest, slug: str, language: str, public_id: str) -> HttpResponse:
    """Return the program of the user's own submission, in the form of `revision`."""
    problem, known = _addressed(request, slug, language)
    rows = list_submissions(request.user, problem_slug=problem.slug, language=known.value)
    found = rows.filter(public_id=public_id).values_list("source", flat=True).first()
    if found is None:
        raise Http404("Submission not found.")
    return JsonResponse({"source": found, "html": colour(found, language)})


@require_POST
@login_required
def note(request: PageRequest, slug: str) -> HttpResponse:
    """Save the user's note about a problem. Scripts get its revision and its text as JSON."""
    problem = problem_or_404(request.user, slug)
    expected = request.POST.get("expected", "")
    try:
        kept = notes.save_note(
            cast("User", request.user),
            problem,
            text=request.POST.get("text", ""),
            expected=int(expected) if expected.isascii() and expected.isdigit() and len(expected) < 10 else 0,
        )
    except notes.NoteRefused as refusal:
        if request.htmx:
            return JsonResponse({"error": str(refusal)}, status=422)
        messages.error(request, str(refusal))
        return redirect("problem", slug)
    if request.htmx:
        return JsonResponse({"revision": kept.revision, "text": kept.text})
    messages.success(request, "Note saved.")
    return redirect("problem", slug)


@require_POST
@login_required
def bookmark(request: PageRequest, slug: str) -> HttpResponse:
    """Bookmark a problem, or remove the bookmark."""
    problem = problem_or_404(request.user, slug)
    wanted = request.POST.get("bookmarked") == "yes"
    notes.set_bookmark(cast("User", request.user), problem, bookmarked=wanted)
    return HttpResponse(status=204) if request.htmx else redirect("problem", slug)


def _addressed(request: HttpRequest, slug: str, language: str) -> tuple[Problem, Language]:
    problem = problem_or_404(request.user, slug)
    if language not in problem.languages:
        raise Http404("This problem is not available in that language.")
    return problem, Language(language)


def _to_json(draft: Draft | None) -> dict[str, object]:
    if draft is None or not draft.revision:
        return {"revision": 0, "source": None, "saved": None}
    return {"revision": draft.revision, "source": draft.source, "saved": draft.saved}
