"""The list of problems, and the actions on a whole problem: create, clone, archive, delete."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from problems.contents import DESCRIPTION
from web.accounts.models import User
from web.authoring import lists, rights
from web.authoring.editing.document import change_top
from web.authoring.forms.workspaces import CloneForm, ListFilter, NewForm
from web.authoring.models import Workspace, WorkspaceState
from web.authoring.permissions import in_workspace, person
from web.authoring.problem_templates import PROBLEM_TEMPLATES, begin
from web.authoring.queries import read
from web.authoring.services import workspaces as services
from web.authoring.services.files import FilesRefused
from web.site.asking import Question, ask
from web.site.htmx_request import PageRequest

_form = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
@never_cache
@login_required
def author(request: PageRequest) -> HttpResponse:
    """List the problems that the user writes or may read. htmx gets the list alone."""
    asked = ListFilter(request.GET)
    listing = lists.list_page(person(request), asked.chosen(), request.GET.get("page", ""))
    whole = not request.htmx or request.htmx.history_restore_request
    template = "authoring/list.html" if whole else "authoring/workspace_rows.html"
    context = {"listing": listing, "filter": asked, "may_create": request.user.has_perm(rights.CREATE)}
    return render(request, template, context)


@_form
@never_cache
@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Create a problem from a template, which works immediately."""
    by = _creator(request)
    asked = request.GET.get("kind", "")
    known = asked if asked in {kind.name for kind in PROBLEM_TEMPLATES} else PROBLEM_TEMPLATES[0].name
    form = NewForm(request.POST or None, initial={"kind": known})
    if request.method == "POST" and form.is_valid():
        cleaned = form.cleaned_data
        try:
            made = services.create(
                by,
                cleaned["slug"],
                begin(cleaned["kind"], title=cleaned["title"]),
                note=f"Created from the template {cleaned['kind']}",
            )
        except services.WorkspaceRefused as refusal:
            form.add_error("slug", str(refusal))
        else:
            return redirect("author-statement", made.slug)
    chosen = form["kind"].value()
    context = {"form": form, "kinds": PROBLEM_TEMPLATES, "chosen": chosen}
    return render(request, "authoring/new.html", context, status=422 if form.errors else 200)


@require_safe
@in_workspace()
def workspace(_request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Redirect to the first tab."""
    return redirect("author-statement", workspace.slug)


@_form
@in_workspace(write=rights.VIEW)
def clone(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Copy the files into a new problem of the user. Members are not copied."""
    by = _creator(request)
    title = f"{workspace.title or workspace.slug} (copy)"[-80:]
    form = CloneForm(request.POST or None, initial={"title": title})
    if request.method == "POST" and form.is_valid():
        cleaned = form.cleaned_data
        try:
            made = services.create(
                by,
                cleaned["slug"],
                _renamed(workspace, cleaned["title"]),
                note=f"Copied from {workspace.slug}",
            )
        except services.WorkspaceRefused as refusal:
            form.add_error("slug", str(refusal))
        except FilesRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("author-statement", made.slug)
    context = {"workspace": workspace, "form": form}
    return render(request, "authoring/clone.html", context, status=422 if form.errors else 200)


@require_POST
@in_workspace(write=rights.SHARE)
def archive(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Archive or unarchive a problem. Its published version stays unchanged."""
    if workspace.state == WorkspaceState.ARCHIVED:
        services.take_back(workspace, person(request))
        messages.success(request, f"{workspace.slug} unarchived.")
    else:
        try:
            services.archive(workspace, person(request))
        except services.StillPreviewed as refusal:
            messages.error(request, str(refusal))
            return redirect("author-people", workspace.slug)
        messages.success(request, f"{workspace.slug} archived. Published versions stay available.")
    return redirect("author-people", workspace.slug)


@_form
@in_workspace(read=rights.SHARE, write=rights.SHARE)
def delete(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Delete a problem that was never published, after a confirmation."""
    if request.method == "POST":
        try:
            services.delete(workspace, person(request))
        except services.StillPublished as refusal:
            messages.error(request, str(refusal))
            return redirect("author-people", workspace.slug)
        messages.success(request, f"{workspace.slug} deleted.")
        return redirect("author")
    question = Question(
        "Delete this problem?",
        "This deletes its files, history and comments for everyone with access. You can't undo this. "
        "To keep the problem, archive it instead.",
        "Delete problem",
        workspace.title or workspace.slug,
        reverse("author-people", args=[workspace.slug]),
    )
    return ask(request, question)


def _renamed(workspace: Workspace, title: str) -> dict[str, bytes]:
    """Return the files with the new title, if problem.toml can be read."""
    files = read(workspace)
    try:
        files[DESCRIPTION] = change_top(files[DESCRIPTION].decode(), {"title": title}).encode()
    except (KeyError, ValueError):  # DescriptionUnreadable is a ValueError
        return files
    return files


def _creator(request: HttpRequest) -> User:
    if not request.user.has_perm(rights.CREATE):
        raise PermissionDenied
    return person(request)
