"""The gallery of a problem: solutions that their authors shared, with votes."""

from dataclasses import dataclass
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from problems.vocabulary import Language
from web.accounts.models import User
from web.catalog.access import problem_or_404
from web.catalog.models import Problem
from web.discussion import gallery, pages, queries, services
from web.discussion.forms import SolutionForm
from web.discussion.gallery import GalleryFilter, Order
from web.discussion.models import Post, Solution
from web.site.way_back import way_back
from web.submissions.models import Submission
from web.submissions.queries import visible_submissions

_ROWS = 20


@dataclass(frozen=True, slots=True)
class SolutionRow:
    """A solution in the gallery, with its note and the author's name and profile."""

    solution: Solution
    note: Post
    author: str
    profile: str
    mine: bool


@require_safe
@never_cache
def solution_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the gallery, filtered by technique and language."""
    problem = problem_or_404(request.user, slug)
    if not gallery.may_open(request.user, problem):
        return render(request, "discussion/closed.html", {"problem": problem}, status=403)
    chosen = _chosen(request)
    found = list(gallery.list_solutions(request.user, problem, chosen)[: _ROWS + 1])
    shown, more = found[:_ROWS], len(found) > _ROWS
    notes = gallery.notes_of(shown)
    rows = [_row(request, solution, notes[solution.pk]) for solution in shown]
    pairs = gallery.techniques_in(problem)
    kept = {"technique": chosen.technique, "language": chosen.language, "order": chosen.order.value}
    older = {**kept, "before": gallery.cursor_after(shown[-1], chosen.order)} if more else None
    context = {
        "problem": problem,
        "rows": rows,
        "chosen": chosen,
        "techniques": sorted({technique for technique, _ in pairs}),
        "languages": sorted({language for _, language in pairs}),
        "older": urlencode(older) if older else "",
        "discusses": queries.may_enter(request.user, problem),
        "here_url": f"{request.path}?{urlencode({**kept, 'before': chosen.before})}",
    }
    return render(request, "discussion/gallery.html", context)


@require_POST
@login_required
def vote(request: HttpRequest, pk: int) -> HttpResponse:
    """Vote for a solution, or take the vote back."""
    found = gallery.find_solution(pk)
    problem = found.thread.problem if found else None
    if found is None or problem is None or not _may_read(request, problem):
        raise Http404("Solution not found.")
    if found.thread.author_id == request.user.pk:
        messages.error(request, "You can't vote for your own solution.")
    else:
        services.vote(cast("User", request.user), found, up=request.POST.get("vote") != "no")
    back = way_back(request, reverse("solutions", args=[problem.slug]))
    return redirect(f"{back}#solution-{pk}")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def share(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put the user's own accepted submission into the gallery, or change its note."""
    submission = _own_or_404(request, public_id)
    if not gallery.may_share(request.user, submission):
        raise Http404("Only accepted submissions can be shared.")
    found = gallery.solution_of(submission)
    initial = {"note": gallery.note_of(found).text, "technique": found.technique} if found else {}
    techniques = gallery.techniques_for(submission.problem)
    form = SolutionForm(request.POST or None, initial=initial, techniques=techniques)
    if request.method == "POST" and form.is_valid():
        try:
            services.show_solution(cast("User", request.user), submission, **form.cleaned_data)
        except services.PostRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "Your solution is in the gallery.")
            return redirect("solutions", submission.problem.slug)
    context = {"submission": submission, "form": form, "solution": found}
    return render(request, "discussion/solution_share.html", context, status=422 if form.errors else 200)


@require_POST
@login_required
def withdraw(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take the user's own solution out of the gallery, and stop sharing it."""
    submission = _own_or_404(request, public_id)
    found = gallery.solution_of(submission)
    if found is not None and services.withdraw_solution(found):
        messages.success(request, "Your solution is no longer in the gallery.")
    return redirect("submission", public_id)


def _chosen(request: HttpRequest) -> GalleryFilter:
    order, language = request.GET.get("order", ""), request.GET.get("language", "")
    return GalleryFilter(
        technique=request.GET.get("technique", "").replace("\0", "")[:40],
        language=language if language in {*Language} else "",
        order=Order(order) if order in {*Order} else Order.VOTES,
        before=request.GET.get("before", ""),
    )


def _row(request: HttpRequest, solution: Solution, note: Post) -> SolutionRow:
    note.author, note.thread = solution.submission.user, solution.thread
    view = pages.post_view(note, request.user)
    return SolutionRow(solution, note, view.author, view.profile, view.mine)


def _may_read(request: HttpRequest, problem: Problem) -> bool:
    seen = problem.published or request.user.is_staff
    return seen and gallery.may_open(request.user, problem)


def _own_or_404(request: HttpRequest, public_id: str) -> Submission:
    return get_object_or_404(visible_submissions(request.user), public_id=public_id, user=request.user)
