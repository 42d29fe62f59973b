"""The leaderboard of a problem."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.catalog.pages import problem_or_404
from web.leaderboards import pages
from web.leaderboards.queries import standings


@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Who solved the problem, ranked on the board that `gpu` and `language` of the address choose."""
    problem = problem_or_404(request.user, slug)
    wanted = pages.Wanted.from_query(request.GET)
    username = request.user.get_username()
    found = standings(problem, gpu=wanted.gpu, language=wanted.language, username=username)
    page = {
        "problem": problem,
        "standings": found,
        "rows": pages.rows(found, username),
        "gpus": pages.gpus(found),
        "languages": pages.languages(found),
    }
    template = "leaderboards/board.html" if found.ranked else "leaderboards/leaderboard.html"
    return render(request, template, page)
