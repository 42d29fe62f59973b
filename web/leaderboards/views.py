"""The leaderboard of a problem, and the baselines that staff set on it."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from web.catalog.pages import problem_or_404
from web.leaderboards import pages
from web.requests import PageRequest


@require_safe
def leaderboard(request: PageRequest, slug: str) -> HttpResponse:
    """Who solved the problem, ranked on the board that the address chooses. htmx gets the board alone."""
    problem = problem_or_404(request.user, slug)
    page = pages.board_page(problem, request.user, pages.Wanted.from_query(request.GET))
    part = request.htmx and not request.htmx.history_restore_request
    whole = "leaderboards/leaderboard.html"
    answer = render(request, "leaderboards/board.html" if part else whole, {"page": page, "problem": problem})
    patch_vary_headers(answer, ["HX-Request"])
    return answer
