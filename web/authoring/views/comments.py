"""Shows a file with the comments of its reviewers next to the lines."""

from collections import defaultdict

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from web.authoring import rights
from web.authoring.differing import language_of
from web.authoring.forms.runs import CommentForm
from web.authoring.models import Comment, Workspace
from web.authoring.pages import tab_context
from web.authoring.permissions import in_workspace, person
from web.authoring.queries import NotText, list_comments, read_text, sizes
from web.authoring.services import comments as services
from web.colours import highlighted, lines_of, to_html


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace(write=rights.COMMENT)
def comments(request: HttpRequest, workspace: Workspace, path: str) -> HttpResponse:
    """Show the lines of a file with their comments, and add a comment. A removed file keeps its comments."""
    found = list(list_comments(workspace, path))
    is_there = path in sizes(workspace)
    if not is_there and not found:
        raise Http404("File not found.")
    sent = request.POST if request.method == "POST" else None
    form = CommentForm(sent, initial={"line": request.GET.get("line") or None})
    if sent is not None and form.is_valid():
        cleaned = form.cleaned_data
        try:
            services.comment(
                workspace, person(request), path=path, line=cleaned["line"], text=cleaned["text"]
            )
        except services.CommentRefused as refusal:
            form.add_error("text", str(refusal))
        else:
            line = f"#L{cleaned['line']}" if cleaned["line"] else ""
            return redirect(reverse("author-comments", args=[workspace.slug, path]) + line)
    lines = _lines(workspace, path) if is_there else []
    by_line: dict[int | None, list[Comment]] = defaultdict(list)
    for comment in found:
        by_line[comment.line].append(comment)
    context = tab_context(
        request,
        workspace,
        "files",
        path=path,
        is_there=is_there,
        form=form,
        general=by_line[None],
        lines=[(number, html, by_line.get(number, [])) for number, html in enumerate(lines, start=1)],
        beyond=[comment for comment in found if comment.line and comment.line > len(lines)],
    )
    return render(request, "authoring/comments.html", context, status=422 if sent else 200)


@require_POST
@in_workspace(write=rights.COMMENT)
def resolve(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Resolve or reopen a comment."""
    found: Comment = get_object_or_404(workspace.comments, pk=pk)
    services.resolve(found, person(request), resolved=request.POST.get("open") != "1")
    messages.success(request, "Settled." if found.resolved else "Open again.")
    line = f"#L{found.line}" if found.line else ""
    return redirect(reverse("author-comments", args=[workspace.slug, found.path]) + line)


def _lines(workspace: Workspace, path: str) -> list[str]:
    try:
        text = read_text(workspace, path)
    except NotText:
        return []
    return [to_html(runs) for runs in highlighted(text, language_of(path))] if lines_of(text) else []
