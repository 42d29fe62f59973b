"""The leaderboard of a problem."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.catalog.pages import problem_or_404
from web.leaderboards.queries import standings


@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Who solved the problem."""
    problem = problem_or_404(request.user, slug)
    return render(
        request, "leaderboards/leaderboard.html", {"problem": problem, "standings": standings(problem)}
    )
