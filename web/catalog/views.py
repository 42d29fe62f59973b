"""Pages of the catalogue: home, the list of problems, a problem beside the editor."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from problems.vocabulary import Language
from web.catalog import pages, queries
from web.catalog.forms import ProblemFilter
from web.requests import PageRequest


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What Warpcourt is, where to go on, and the problems."""
    problems = queries.list_problems(request.user)
    following = queries.next_problem(request.user)
    return render(request, "catalog/home.html", {"problems": problems, "following": following})


@require_safe
def problem_list(request: PageRequest) -> HttpResponse:
    """The problems, narrowed by the query string. htmx gets the list alone."""
    chosen = ProblemFilter(request.GET).chosen()
    listing = pages.list_page(request.user, chosen)
    partial = request.htmx and not request.htmx.history_restore_request
    template = "catalog/problem_rows.html" if partial else "catalog/problem_list.html"
    return render(request, template, {"listing": listing, "chosen": chosen})


@require_safe
def problem(request: HttpRequest, slug: str) -> HttpResponse:
    """The statement beside the editor."""
    found = pages.problem_or_404(request.user, slug)
    asked = request.GET.get("language", "")
    language = Language(asked) if asked in found.languages else pages.usual_language(request.user, found)
    page = pages.problem_page(request.user, found, language)
    return render(request, "catalog/problem.html", {"page": page, "problem": found})
