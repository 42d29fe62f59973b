"""Pages of the catalogue: home, the list of problems, and a problem next to the editor."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import push_url

from problems.vocabulary import Language
from web.catalog.access import problem_or_404
from web.hints.queries import readable_texts
from web.packages import figures
from web.practice import lists, pages
from web.practice.forms import ProblemFilterForm
from web.site.htmx_request import PageRequest


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what Warpcourt is, the problem to continue with, tracks and records."""
    return render(request, "catalog/home.html", {"page": lists.home_page(request.user)})


@require_safe
def problem_list(request: PageRequest) -> HttpResponse:
    """Show the problems, filtered and sorted by the query string. htmx gets the list and its address."""
    asked = ProblemFilterForm(request.GET)
    listing = lists.list_page(request.user, asked, request.GET.get("page", ""))
    context: dict[str, object] = {"listing": listing, "chosen": asked.chosen()}
    if request.htmx and not request.htmx.history_restore_request:
        answer = render(request, "catalog/problem_rows.html", context)
        return push_url(answer, listing.url)
    context["filters"] = lists.filters(request.user, asked.chosen())
    return render(request, "catalog/problem_list.html", context)


@require_safe
@never_cache
def go(request: HttpRequest) -> JsonResponse:
    """Return the problems and lessons that match the words of `q`, for the palette that opens with Ctrl+K."""
    words = ProblemFilterForm(request.GET).chosen().get("q", "")
    problems = lists.destinations(request.user, words)
    return JsonResponse({"problems": problems, "lessons": lists.lessons(words)})


@require_safe
def problem(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the statement next to the editor."""
    found = problem_or_404(request.user, slug)
    asked = request.GET.get("language", "")
    language = Language(asked) if asked in found.languages else pages.usual_language(request.user, found)
    accepted = request.headers.get("Accept-Language", "")
    locale = pages.chosen_locale(found, request.GET.get("text"), accepted)
    page = pages.problem_page(request.user, found, language, locale)
    answer = render(request, "catalog/problem.html", {"page": page, "problem": found})
    if found.translations:
        patch_vary_headers(answer, ["Accept-Language"])
    return answer


@require_safe
def figure(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Return an image of a text of a problem that the user may read."""
    problem = problem_or_404(request.user, slug)
    shown = any(name in figures.figures_in(text) for text in readable_texts(request.user, problem))
    found = figures.find_figure(problem, name) if shown else None
    if found is None:
        raise Http404("Figure not found.")
    headers = {"Content-Security-Policy": figures.POLICY, "Cache-Control": "private, max-age=3600"}
    return HttpResponse(found.content, content_type=found.media_type, headers=headers)
