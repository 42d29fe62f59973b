"""The leaderboard of a problem, and the baselines that staff set on it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from problems.vocabulary import BaselineKind
from web.accounts.models import User
from web.catalog.access import problem_or_404
from web.catalog.queries import may_discuss
from web.hints.queries import editorial_open
from web.leaderboards import pages, ranking_pages, services
from web.leaderboards.forms import BaselineForm
from web.leaderboards.models import Baseline
from web.site.htmx_request import PageRequest


@require_safe
def leaderboard(request: PageRequest, slug: str) -> HttpResponse:
    """Show the users who solved the problem, ranked on the requested board. htmx gets only the board."""
    problem = problem_or_404(request.user, slug)
    page = pages.board_page(problem, request.user, pages.BoardQuery.from_query(request.GET))
    context: dict[str, object] = {"page": page, "problem": problem}
    if request.htmx and not request.htmx.history_restore_request:
        answer = render(request, "leaderboards/board.html", context)
    else:
        context["discusses"] = may_discuss(request.user, problem)
        context["explains"] = editorial_open(request.user, problem)
        context["editor"] = pages.baseline_editor(problem) if request.user.is_staff else None
        answer = render(request, "leaderboards/leaderboard.html", context)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


@require_safe
def ranking(request: PageRequest) -> HttpResponse:
    """Show all users by their points on all problems or on a track. htmx gets only the list."""
    shown = ranking_pages.shown(request.user, request.GET)
    part = request.htmx and not request.htmx.history_restore_request
    template = "leaderboards/ranking_rows.html" if part else "leaderboards/ranking.html"
    answer = render(request, template, {"shown": shown})
    patch_vary_headers(answer, ["HX-Request"])
    return answer


@require_POST
@login_required
def baseline_set(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a ranked submission as a baseline. Staff only."""
    actor = _staff(request)
    problem = problem_or_404(request.user, slug)
    form = BaselineForm(request.POST, problem=problem)
    if form.is_valid():
        chosen = form.cleaned_data
        kind = BaselineKind(chosen["kind"])
        services.set_baseline(actor, chosen["submission"], kind=kind, label=chosen["label"])
        messages.success(request, f"{chosen['label']} is a baseline.")
    else:
        messages.error(request, form.complaint())
    return redirect("leaderboard", slug)


@require_POST
@login_required
def baseline_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a baseline from the boards. Staff only."""
    actor = _staff(request)
    found = get_object_or_404(Baseline, pk=pk, problem__slug=slug)
    services.remove_baseline(actor, found)
    messages.success(request, f"{found.label} is no longer a baseline.")
    return redirect("leaderboard", slug)


def _staff(request: HttpRequest) -> User:
    if not isinstance(request.user, User) or not request.user.is_staff:
        raise PermissionDenied
    return request.user
