"""Pages of discussions and editorials.

Only users who solved the problem, instructors and staff have access.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.accounts.models import User
from web.catalog.access import problem_or_404
from web.catalog.markdown import render as render_markdown
from web.catalog.models import Problem
from web.discussion import pages, queries, services
from web.discussion.forms import FlagForm, PostForm, ThreadForm
from web.discussion.models import Post
from web.packages.figures import pictures

P = ParamSpec("P")
_require_form = require_http_methods(["GET", "HEAD", "POST"])


def behind_gate(
    view: Callable[Concatenate[HttpRequest, Problem, P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Return a view that passes the problem of a slug to `view`.

    Users without access get a page that explains when the discussion opens.
    """

    @wraps(view)
    def enter(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        problem = problem_or_404(request.user, slug)
        if not queries.may_enter(request.user, problem):
            return render(request, "discussion/closed.html", {"problem": problem}, status=403)
        return view(request, problem, *args, **kwargs)

    return never_cache(enter)


@require_safe
@behind_gate
def editorial(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Show the editorial of the problem."""
    shown = pictures(problem, problem.editorial)
    text = render_markdown(problem.editorial, anchors="e-", pictures=shown) if problem.editorial else None
    return render(request, "discussion/editorial.html", {"problem": problem, "text": text})


@require_safe
@behind_gate
def thread_list(request: HttpRequest, problem: Problem) -> HttpResponse:
    """List the threads about a problem, the most recently active first."""
    page = pages.thread_list(request.user, problem, request.GET.get("before", ""))
    return render(request, "discussion/threads.html", {"problem": problem, "page": page})


@_require_form
@behind_gate
def thread_new(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Start a thread."""
    form = ThreadForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        try:
            thread = services.open_thread(_person(request), problem, **form.cleaned_data)
        except services.PostRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("thread", problem.slug, thread.pk)
    return _form_page(request, problem, form, heading="New thread", send="Post", back=_threads(problem))


@require_safe
@behind_gate
def thread(request: HttpRequest, problem: Problem, pk: int) -> HttpResponse:
    """Show a thread with a reply form."""
    found = pages.thread_or_404(request.user, problem, pk)
    page = pages.thread_page(request.user, found, request.GET.get("after", ""))
    context = {"problem": problem, "page": page, "form": PostForm()}
    return render(request, "discussion/thread.html", context)


@_require_form
@behind_gate
def reply(request: HttpRequest, problem: Problem, pk: int) -> HttpResponse:
    """Reply to a thread."""
    found = pages.thread_or_404(request.user, problem, pk)
    form = PostForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        try:
            made = services.reply(_person(request), found, text=form.cleaned_data["text"])
        except services.PostRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect(_place(made))
    back = reverse("thread", args=[problem.slug, pk])
    return _form_page(request, problem, form, heading="Reply", send="Reply", back=back)


@require_POST
@behind_gate
def preview(request: HttpRequest, problem: Problem) -> HttpResponse:  # noqa: ARG001 - the gate's signature
    """Return the rendered text as a fragment."""
    form = PostForm(request.POST)
    form.full_clean()
    return render(request, "discussion/preview.html", {"html": _rendered(form)})


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
            return redirect(_place(post))
    return _form_page(request, post.thread.problem, form, heading="Edit post", send="Save", back=_place(post))


@_require_form
@never_cache
def post_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a post of the user, after a confirmation."""
    post = _own_or_404(request, pk)
    if request.method == "POST":
        services.delete(post)
        messages.success(request, "Post deleted.")
        return redirect("threads", post.thread.problem.slug)
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
            return redirect("thread", post.thread.problem.slug, post.thread_id)
    context = {"problem": post.thread.problem, "view": view, "form": form}
    return render(request, "discussion/flag.html", context)


def _form_page(
    request: HttpRequest, problem: Problem, form: PostForm, *, heading: str, send: str, back: str
) -> HttpResponse:
    shown = _rendered(form) if "preview" in request.POST and form.is_valid() else None
    context = {
        "problem": problem,
        "form": form,
        "heading": heading,
        "send": send,
        "back": back,
        "html": shown,
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "discussion/form.html", context, status=status)


def _rendered(form: PostForm) -> str:
    return pages.render_post(form.cleaned_data.get("text", "").replace("\r\n", "\n"))


def _own_or_404(request: HttpRequest, pk: int) -> Post:
    post = pages.post_or_404(request.user, pk)
    if not pages.post_view(post, request.user).may_change:
        raise Http404("Post not found.")
    return post


def _place(post: Post) -> str:
    url = reverse("thread", args=[post.thread.problem.slug, post.thread_id])
    after = queries.page_start(post, pages.POSTS_PER_PAGE)
    return f"{url}?after={after}#post-{post.pk}" if after else f"{url}#post-{post.pk}"


def _threads(problem: Problem) -> str:
    return reverse("threads", args=[problem.slug])


def _person(request: HttpRequest) -> User:
    return cast("User", request.user)
