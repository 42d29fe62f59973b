"""The tab of files. It lists all files. Each one can be edited as text, even if it is broken."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from problems.archive import MEDIA_TYPE, SUFFIX, pack
from problems.contents import Contents
from problems.package import MAX_TEXT_KIB
from web.authoring import rights
from web.authoring.differing import language_of
from web.authoring.faults import faults_at, faults_of
from web.authoring.forms.files import NewFileForm
from web.authoring.forms.plain import TextForm
from web.authoring.models import Workspace
from web.authoring.pages import open_comments, tab_context
from web.authoring.permissions import in_workspace
from web.authoring.queries import NotText, list_comments, read, read_text, sizes
from web.authoring.saving import refused, save, wants_json
from web.site.asking import Question, ask

_form = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
@in_workspace()
def files(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """List all files with their faults and comments, and removed files with open comments."""
    faults = faults_of(workspace)
    waiting = [comment.path for comment in list_comments(workspace, resolved=False)]
    there = sizes(workspace)
    rows = [
        {
            "path": path,
            "size_bytes": size,
            "faults": len(faults_at(faults, path)),
            "comments": waiting.count(path),
            "is_text": not path.startswith("figures/"),
        }
        for path, size in there.items()
    ]
    context = tab_context(
        request,
        workspace,
        "files",
        faults=faults,
        rows=rows,
        removed={path: waiting.count(path) for path in waiting if path not in there},
        general=[f for f in faults if not f.path],
    )
    return render(request, "authoring/files.html", context)


@require_safe
@in_workspace()
def export(_request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Return the current files as a ZIP file."""
    archive = pack(Contents(workspace.slug, read(workspace)))
    name = f"{workspace.slug}{SUFFIX}"
    return HttpResponse(
        archive,
        content_type=MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@_form
@in_workspace(read=rights.EDIT)
def new(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Create an empty file, and open it."""
    form = NewFileForm(request.POST or None, slug=workspace.slug, there=sizes(workspace))
    if request.method == "POST" and form.is_valid():
        path = form.cleaned_data["path"]
        return save(request, workspace, {path: b""}, back=reverse("author-file", args=[workspace.slug, path]))
    context = {"workspace": workspace, "form": form}
    return render(request, "authoring/new_file.html", context, status=422 if form.errors else 200)


@_form
@in_workspace()
def file(request: HttpRequest, workspace: Workspace, path: str) -> HttpResponse:
    """Show and save a file as text. An empty text is saved too: only `delete` removes a file."""
    _require_file(workspace, path)
    try:
        text = read_text(workspace, path)
    except NotText as error:
        raise Http404(str(error)) from error
    sent = request.POST if request.method == "POST" else None
    form = TextForm(sent, initial={"text": text})
    if sent is not None and form.is_valid():
        return save(request, workspace, {path: form.written()})
    if sent is not None and wants_json(request):
        reason = f"A text file can have up to {MAX_TEXT_KIB} KiB."
        return refused(request, workspace, [reason], back=request.path)
    context = tab_context(
        request,
        workspace,
        "files",
        path,
        form=form,
        path=path,
        language=language_of(path),
        open_comments=open_comments(workspace, path),
    )
    return render(request, "authoring/file.html", context, status=422 if sent else 200)


@_form
@in_workspace(read=rights.EDIT)
def delete(request: HttpRequest, workspace: Workspace, path: str) -> HttpResponse:
    """Delete a file after a confirmation. The history keeps it."""
    _require_file(workspace, path)
    if request.method == "POST":
        return save(request, workspace, {path: None}, back=reverse("author-files", args=[workspace.slug]))
    question = Question(
        f"Delete {path}?",
        "To restore the file later, restore the current revision under History.",
        "Delete file",
        workspace.title or workspace.slug,
        reverse("author-file", args=[workspace.slug, path]),
        sent={"expected": workspace.revision},
    )
    return ask(request, question)


def _require_file(workspace: Workspace, path: str) -> None:
    if path not in sizes(workspace):
        raise Http404("File not found.")
