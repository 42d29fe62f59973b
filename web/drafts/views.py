"""The HTTP interface of drafts for the editor: read, save, and view earlier texts. Drafts are private."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from problems.vocabulary import Language
from web.catalog.access import problem_or_404
from web.catalog.models import Problem
from web.colours import colour
from web.drafts import queries, services
from web.drafts.forms import Save, SaveMalformed
from web.drafts.models import Draft


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
    """Return the earlier texts of the draft as a fragment of the page."""
    problem, known = _addressed(request, slug, language)
    found = queries.find_draft(request.user, problem, known)
    revisions = queries.list_revisions(found) if found else []
    context = {"draft": found, "revisions": revisions, "kept_days": services.KEPT_FOR.days}
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


def _addressed(request: HttpRequest, slug: str, language: str) -> tuple[Problem, Language]:
    problem = problem_or_404(request.user, slug)
    if language not in problem.languages:
        raise Http404("This problem is not available in that language.")
    return problem, Language(language)


def _to_json(draft: Draft | None) -> dict[str, object]:
    if draft is None or not draft.revision:
        return {"revision": 0, "source": None, "saved": None}
    return {"revision": draft.revision, "source": draft.source, "saved": draft.saved}
