"""Pages of editorials, discussions and questions about problems.

Editorials, discussions and galleries are for users who solved the problem, instructors and staff; users who
gave up also read the editorial. Questions are for all who may see the problem; writing needs an account.
During a contest with the problem, editorial and questions are only for those who may read its discussion.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.accounts.models import User
from web.catalog.access import problem_or_404
from web.catalog.markdown import render as render_markdown
from web.catalog.measured import tables_of
from web.catalog.models import Problem
from web.discussion import pages, queries, services
from web.discussion.addresses import Room, post_url, thread_url
from web.discussion.forms import FlagForm, PostForm, ThreadForm
from web.discussion.models import Post, ThreadKind
from web.hints.pages import hints_part
from web.hints.queries import editorial_open
from web.packages.figures import pictures

P = ParamSpec("P")
_require_form = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
@never_cache
def editorial(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the editorial of the problem, also to users who gave up. The discussion stays closed for them."""
    problem = problem_or_404(request.user, slug)
    if not editorial_open(request.user, problem):
        context = {"problem": problem, "hints": hints_part(request.user, problem)}
        return render(request, "discussion/closed.html", context, status=403)
    shown = pictures(problem, problem.editorial)
    text = render_markdown(problem.editorial, anchors="e-", pictures=shown) if problem.editorial else None
    times = tables_of(problem.slug, problem.version)
    discusses = queries.may_enter(request.user, problem)
    context = {"problem": problem, "text": text, "times": times, "discusses": discusses}
    return render(request, "discussion/editorial.html", context)


def in_room(
    view: Callable[Concatenate[HttpRequest, Problem, Room, P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Return a view that passes the problem of a slug and the room to `view`.

    A gated room is closed to users who have not solved the problem. Any other room is closed to them only
    during a contest.
    """

    @wraps(view)
    def enter(request: HttpRequest, slug: str, room: Room, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        problem = problem_or_404(request.user, slug)
        if room.gated and not queries.may_enter(request.user, problem):
            return render(request, "discussion/closed.html", {"problem": problem}, status=403)
        if not room.gated and not queries.questions_open(request.user, problem):
            context = {"problem": problem, "contest": True}
            return render(request, "discussion/closed.html", context, status=403)
        return view(request, problem, room, *args, **kwargs)

    return never_cache(enter)


@require_safe
@in_room
def thread_list(request: HttpRequest, problem: Problem, room: Room) -> HttpResponse:
    """List the threads about a problem, the most recently active first."""
    page = pages.thread_list(request.user, problem, request.GET.get("before", ""), room=room)
    discusses = _discusses(request, problem, room)
    context = {"problem": problem, "room": room, "page": page, "discusses": discusses}
    return render(request, "discussion/threads.html", context)


@_require_form
@in_room
@login_required
def thread_new(request: HttpRequest, problem: Problem, room: Room) -> HttpResponse:
    """Start a thread."""
    form = ThreadForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        try:
            thread = services.open_thread(_person(request), problem, kind=room.kind, **form.cleaned_data)
        except services.PostRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect(thread_url(thread))
    back = reverse(room.list_name, args=[problem.slug])
    return _form_page(request, problem, form, heading=room.one, send="Post", back=back, room=room)


@require_safe
@in_room
def thread(request: HttpRequest, problem: Problem, room: Room, pk: int) -> HttpResponse:
    """Show a thread with a reply form."""
    found = pages.thread_or_404(request.user, problem, pk, room=room)
    discusses = _discusses(request, problem, room)
    page = pages.thread_page(request.user, found, request.GET.get("after", ""), fold_code=not discusses)
    context = {"problem": problem, "room": room, "page": page, "form": PostForm(), "discusses": discusses}
    return render(request, "discussion/thread.html", context)


@_require_form
@in_room
@login_required
def reply(request: HttpRequest, problem: Problem, room: Room, pk: int) -> HttpResponse:
    """Reply to a thread."""
    found = pages.thread_or_404(request.user, problem, pk, room=room)
    form = PostForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        try:
            made = services.reply(_person(request), found, text=form.cleaned_data["text"])
        except services.PostRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect(post_url(made))
    back = thread_url(found)
    return _form_page(request, problem, form, heading="Reply", send="Reply", back=back, room=room)


@require_POST
@in_room
@login_required
def preview(request: HttpRequest, problem: Problem, room: Room) -> HttpResponse:  # noqa: ARG001 - as `in_room` calls it
    """Return the rendered text as a fragment."""
    form = PostForm(request.POST)
    form.full_clean()
    return render(request, "discussion/preview.html", {"html": rendered(form)})


@_require_form
@never_cache
def post_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Edit a post of the user."""
    post = _own_or_404(request, pk)
    form = PostForm(request.POST or None, initial={"text": post.text})
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        try:
            services.edit(post, text=form.cleaned_data["text"])
        except services.PostRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect(post_url(post))
    return _form_page(
        request, post.thread.problem, form, heading="Edit post", send="Save", back=post_url(post)
    )


@_require_form
@never_cache
def post_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a post of the user, after a confirmation."""
    post = _own_or_404(request, pk)
    if request.method == "POST":
        services.delete(post)
        messages.success(request, "Post deleted.")
        return redirect(thread_url(post.thread, listed=True))
    view = pages.post_view(post, request.user)
    return render(request, "discussion/delete.html", {"problem": post.thread.problem, "view": view})


@_require_form
@never_cache
def post_flag(request: HttpRequest, pk: int) -> HttpResponse:
    """Report a post of another user to staff."""
    post = pages.post_or_404(request.user, pk)
    view = pages.post_view(post, request.user)
    if not view.may_flag:
        raise Http404("You can't report your own post.")
    form = FlagForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            services.flag(_person(request), post, reason=form.cleaned_data["reason"])
        except services.PostRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "Thanks. Staff will review the post.")
            return redirect(thread_url(post.thread))
    context = {"problem": post.thread.problem, "view": view, "form": form}
    return render(request, "discussion/flag.html", context)


def _form_page(
    request: HttpRequest,
    problem: Problem,
    form: PostForm,
    *,
    heading: str,
    send: str,
    back: str,
    room: Room | None = None,
) -> HttpResponse:
    shown = rendered(form) if "preview" in request.POST and form.is_valid() else None
    context = {
        "problem": problem,
        "form": form,
        "heading": heading,
        "send": send,
        "back": back,
        "room": room,
        "html": shown,
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "discussion/form.html", context, status=status)


def rendered(form: PostForm) -> str:
    """Return the text of a valid form as HTML."""
    return pages.render_post(form.cleaned_data.get("text", "").replace("\r\n", "\n"))


def _own_or_404(request: HttpRequest, pk: int) -> Post:
    post = pages.post_or_404(request.user, pk)
    noted = post.thread.kind == ThreadKind.SOLUTION  # users change and withdraw it in the gallery
    if noted or not pages.post_view(post, request.user).may_change:
        raise Http404("Post not found.")
    return post


def _discusses(request: HttpRequest, problem: Problem, room: Room) -> bool:
    return room.gated or queries.may_enter(request.user, problem)


def _person(request: HttpRequest) -> User:
    return cast("User", request.user)
