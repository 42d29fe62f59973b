"""Pages to import problems: one in our own format immediately, sets in other formats by a worker."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from problems.archive import unpack
from problems.contents import ContentsInvalid
from web.accounts.models import User
from web.authoring import rights
from web.authoring.permissions import person
from web.authoring.services.files import FilesRefused
from web.authoring.services.workspaces import WorkspaceRefused
from web.importing import services
from web.importing.formats import FORMATS, label_of
from web.importing.forms import PackageForm, SetFileForm, SetFolderForm, SetForm
from web.importing.models import ImportRun
from web.importing.persistence import put
from web.importing.queue import problems_of
from web.site.htmx_request import PageRequest

_SHOWN_RUNS = 10


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def importing(request: HttpRequest) -> HttpResponse:
    """Import a problem or a set. `what` says which form was submitted."""
    by = _importer(request)
    what = request.POST.get("what", "")
    package = PackageForm(*_sent(request, what == "package"), prefix="package")
    set_file = SetFileForm(*_sent(request, what == "set"), prefix="set")
    set_folder = SetFolderForm(*_sent(request, what == "folder"), prefix="folder")
    done = None
    if what == "package" and package.is_valid():
        done = _take_package(request, by, package)
    elif what == "set" and set_file.is_valid():
        done = _start(set_file, partial(services.start_archive, by), "archive")
    elif what == "folder" and by.is_staff and set_folder.is_valid():
        done = _start(set_folder, partial(services.start_folder, by), "folder")
    if done is not None:
        return done
    runs = ImportRun.objects.filter(by=by).defer("archive")[:_SHOWN_RUNS]
    context = {
        "package": package,
        "set_file": set_file,
        "set_folder": set_folder if by.is_staff else None,
        "formats": FORMATS,
        "runs": [(run, label_of(run.format)) for run in runs],
    }
    faulty = any(form.errors for form in (package, set_file, set_folder))
    return render(request, "importing/importing.html", context, status=422 if faulty else 200)


@require_safe
@never_cache
@login_required
def run(request: PageRequest, pk: int) -> HttpResponse:
    """Show the result of an import, problem by problem. htmx gets the part that changes."""
    found = _run_or_404(request, pk)
    context = {"run": found, "label": label_of(found.format), "counts": _counts(found)}
    template = "importing/run_state.html" if request.htmx else "importing/run.html"
    return render(request, template, context)


@require_POST
@login_required
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel an import."""
    if not services.cancel(_run_or_404(request, pk)):
        messages.error(request, "Already finished.")
    return redirect("author-import-run", pk)


def _take_package(request: HttpRequest, by: User, form: PackageForm) -> HttpResponse | None:
    try:
        contents = unpack(form.cleaned_data["archive"], slug=form.cleaned_data["slug"])
        workspace, again = put(by, contents.slug, contents.files, note="Imported from a file")
    except (ContentsInvalid, WorkspaceRefused, FilesRefused) as refusal:
        form.add_error(None, str(refusal))
        return None
    became = f"updated to revision {workspace.revision}" if again else "imported"
    messages.success(request, f"{workspace.slug} {became}.")
    return redirect("author-statement", workspace.slug)


def _start(form: SetForm, start: Callable[..., ImportRun], content: str) -> HttpResponse | None:
    cleaned = form.cleaned_data
    try:
        run = start(cleaned["set_format"], cleaned[content], scale=cleaned["scale"])
    except services.ImportRefused as refusal:
        form.add_error(None, str(refusal))
        return None
    return redirect("author-import-run", run.pk)


def _sent(request: HttpRequest, chosen: bool) -> tuple[Any, Any]:
    return (request.POST, request.FILES) if chosen else (None, None)


def _counts(run: ImportRun) -> dict[str, int]:
    """Return the number of problems with each result."""
    counts: dict[str, int] = {}
    for problem in problems_of(run):
        counts[problem["outcome"]] = counts.get(problem["outcome"], 0) + 1
    return counts


def _run_or_404(request: HttpRequest, pk: int) -> ImportRun:
    runs = ImportRun.objects.defer("archive")
    by = person(request)
    return get_object_or_404(runs if by.is_staff else runs.filter(by=by), pk=pk)


def _importer(request: HttpRequest) -> User:
    if not request.user.has_perm(rights.CREATE):
        raise PermissionDenied
    return person(request)
