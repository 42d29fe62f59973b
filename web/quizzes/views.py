"""Pages of quizzes. They work without scripts."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.accounts.models import User
from web.catalog.queries import Viewer
from web.quizzes import pages, queries, services
from web.quizzes.models import Quiz
from web.site import cursors

_MOST_DIGITS = 9


@require_safe
def quiz_list(request: HttpRequest) -> HttpResponse:
    """List the quizzes with the user's progress."""
    return render(request, "quizzes/list.html", {"quizzes": queries.list_quizzes(request.user)})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def quiz(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a quiz with the user's numbers, and take the answers. Visitors see example numbers."""
    found = quiz_or_404(request.user, slug)
    if request.method != "POST":
        before = cursors.decode_key(request.GET.get("before", ""))
        page = pages.quiz_page(request.user, found, before=before)
        return render(request, "quizzes/quiz.html", {"page": page})
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("quiz", args=[slug]))
    names = map(pages.field_name, range(found.questions))
    answers = [request.POST.get(name, "") for name in names]
    draw = request.POST.get("draw", "")
    number = int(draw) if draw.isascii() and draw.isdecimal() and len(draw) <= _MOST_DIGITS else 0
    version = request.POST.get("version", "")
    user = request.user
    try:
        recorded = services.answer(
            user, found, draw=number, version=version, answers=answers, partial="partial" in request.POST
        )
    except services.AnswersInvalid as refusal:
        page = pages.quiz_page(user, found, given=answers, faults=refusal.faults, refusal=str(refusal))
        return render(request, "quizzes/quiz.html", {"page": page}, status=422)
    except services.AttemptRefused as refusal:
        if queries.find_attempt(user, found, number):  # a double click, or the form sent again
            return redirect("quiz-attempt", slug, number)
        page = pages.quiz_page(user, found, refusal=str(refusal))
        return render(request, "quizzes/quiz.html", {"page": page}, status=409)
    return redirect("quiz-attempt", slug, recorded.draw)


@require_POST
@login_required
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a quiz with a time limit."""
    found = quiz_or_404(request.user, slug)
    if found.minutes is None:
        raise Http404("This quiz has no time limit.")
    try:
        services.start(cast("User", request.user), found)
    except services.TooManyAttempts as refusal:
        page = pages.quiz_page(request.user, found, refusal=str(refusal))
        return render(request, "quizzes/quiz.html", {"page": page}, status=409)
    return redirect("quiz", slug)


@require_safe
@login_required
@never_cache
def attempt(request: HttpRequest, slug: str, draw: int) -> HttpResponse:
    """Show an attempt of the user with the explanations."""
    found = quiz_or_404(request.user, slug)
    recorded = queries.find_attempt(request.user, found, draw) if draw < 10**_MOST_DIGITS else None
    if recorded is None:
        raise Http404("Attempt not found.")
    page = pages.attempt_page(request.user, found, recorded)
    return render(request, "quizzes/attempt.html", {"page": page})


def quiz_or_404(viewer: Viewer, slug: str) -> Quiz:
    """Return the quiz with that slug.

    Raises:
        Http404: it does not exist, or `viewer` may not see it.
    """
    found = queries.find_quiz(viewer, slug)
    if found is None:
        raise Http404("Quiz not found.")
    return found
