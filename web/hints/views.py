"""Opens hints, and records that a user gives up. Both work without scripts."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from web.accounts.models import User
from web.catalog.access import problem_or_404
from web.hints import pages, queries, services
from web.site.htmx_request import PageRequest

_MOST_DIGITS = 4


@require_POST
@never_cache
def open_hint(request: PageRequest, slug: str) -> HttpResponse:
    """Open the next hint of a problem. htmx gets the part of the page with the hints."""
    problem = problem_or_404(request.user, slug)
    if not request.user.is_authenticated:
        answer = redirect_to_login(reverse("problem", args=[slug]))
        return HttpResponseClientRedirect(answer.url) if request.htmx else answer
    number = request.POST.get("number", "")
    asked = int(number) if number.isdecimal() and len(number) <= _MOST_DIGITS else None
    try:
        services.open_next(_person(request), problem, number=asked)
    except services.HelpRefused as refusal:
        if not request.htmx:
            messages.error(request, str(refusal))
    if request.htmx:
        context = {"problem": problem, "hints": pages.hints_part(request.user, problem)}
        return render(request, "hints/hints.html", context)
    language = request.POST.get("language", "")
    query = f"?language={language}" if language in problem.languages else ""
    return redirect(f"{reverse('problem', args=[slug])}{query}#hints")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def give_up(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask whether the user gives up, and record it. Afterwards the editorial is open."""
    problem = problem_or_404(request.user, slug)
    if not problem.editorial:
        raise Http404("This problem has no editorial.")
    if queries.editorial_open(request.user, problem):
        return redirect("editorial", slug)
    if request.method == "POST":
        try:
            services.give_up(_person(request), problem)
        except services.HelpRefused as refusal:
            messages.error(request, str(refusal))
            return redirect("problem", slug)
        return redirect("editorial", slug)
    part = pages.hints_part(request.user, problem)
    if part.closed:
        messages.error(request, "A contest with this problem is running. The editorial opens when it ends.")
        return redirect("problem", slug)
    return render(request, "hints/give_up.html", {"problem": problem, "hints": part})


def _person(request: HttpRequest) -> User:
    return cast("User", request.user)
