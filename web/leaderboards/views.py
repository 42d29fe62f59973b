"""The leaderboard of a problem."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.catalog.queries import get_problem
from web.leaderboards.queries import standings


@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Who solved the problem."""
    problem = get_problem(request.user, slug)
    return render(
        request, "leaderboards/leaderboard.html", {"problem": problem, "standings": standings(problem)}
    )
