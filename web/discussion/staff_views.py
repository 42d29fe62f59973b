"""Staff pages of discussions: reports, single posts with their history, and bans."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.accounts.queries import find_user
from web.audit.access import member, staff_only
from web.discussion import pages, queries, services
from web.discussion.forms import BanForm, HideForm
from web.discussion.models import Answer, Post
from web.site import cursors

_FLAGS = 20


@require_safe
@staff_only
def flag_list(request: HttpRequest) -> HttpResponse:
    """List reports. By default, only the open ones are listed."""
    asked = request.GET.get("answer", Answer.OPEN.value)
    answer = Answer(asked) if asked in Answer.values else None
    found = list(
        queries.list_flags(answer=answer, before=cursors.decode_key(request.GET.get("before", "")))[
            : _FLAGS + 1
        ]
    )
    rows = [(flag, pages.post_view(flag.post, request.user)) for flag in found[:_FLAGS]]
    older = found[_FLAGS - 1].pk if len(found) > _FLAGS else None
    context = {"rows": rows, "older": older, "answer": asked, "answers": [*Answer.choices, ("all", "All")]}
    return render(request, "discussion/staff_flags.html", context)


@require_safe
@staff_only
def post_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a post with its earlier texts, its reports and the possible decisions."""
    post = _post(pk)
    context = {
        "problem": post.thread.problem,
        "post": post,
        "view": pages.post_view(post, request.user),
        "flags": post.flags.select_related("person"),
        "revisions": post.revisions.all(),
        "ban": queries.ban_of(post.author) if post.author else None,
    }
    return render(request, "discussion/staff_post.html", context)


@require_POST
@staff_only
def post_hide(request: HttpRequest, pk: int) -> HttpResponse:
    """Hide a post."""
    post, form = _post(pk), HideForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Enter a reason. The author will see it.")
    elif services.hide(post, member(request), reason=form.cleaned_data["reason"]):
        messages.success(request, "Post hidden.")
    else:
        messages.success(request, "The post was already hidden or deleted. Its reports are closed.")
    return redirect("staff-post", pk)


@require_POST
@staff_only
def post_restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a hidden post again."""
    if services.restore(_post(pk), member(request)):
        messages.success(request, "Post restored.")
    return redirect("staff-post", pk)


@require_POST
@staff_only
def post_dismiss(request: HttpRequest, pk: int) -> HttpResponse:
    """Dismiss the reports of a post."""
    if services.dismiss(_post(pk), member(request)):
        messages.success(request, "Reports dismissed.")
    return redirect("staff-flags")


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def ban_list(request: HttpRequest) -> HttpResponse:
    """List the bans, or ban a user."""
    form = BanForm(request.POST or None, initial={"person": request.GET.get("person", "")})
    if request.method == "POST" and form.is_valid():
        person = find_user(form.cleaned_data["person"])
        if person is None:
            form.add_error("person", "User not found.")
        elif person.is_staff:
            form.add_error("person", "Staff can't be banned. Remove the staff role first.")
        else:
            services.ban(person, member(request), reason=form.cleaned_data["reason"], until=form.until())
            messages.success(request, f"{person.username} is banned from posting.")
            return redirect("staff-bans")
    before = cursors.decode(request.GET.get("before", ""))
    found = list(queries.list_bans(before=before)[: _FLAGS + 1])
    older = cursors.encode(found[_FLAGS - 1].created, found[_FLAGS - 1].pk) if len(found) > _FLAGS else ""
    context = {"bans": found[:_FLAGS], "older": older, "form": form}
    return render(request, "discussion/staff_bans.html", context, status=422 if form.errors else 200)


@require_POST
@staff_only
def ban_lift(request: HttpRequest, pk: int) -> HttpResponse:
    """Lift a ban."""
    ban = get_object_or_404(queries.list_bans(), pk=pk)
    services.lift_ban(ban.person, member(request))
    messages.success(request, f"{ban.person.username} can post again.")
    return redirect("staff-bans")


def _post(pk: int) -> Post:
    return get_object_or_404(queries.with_threads(Post.objects.select_related("author")), pk=pk)
