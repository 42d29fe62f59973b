"""The tab of history: lists the revisions, shows their changes, and restores them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from web.authoring.differing import differences
from web.authoring.models import Revision, Workspace
from web.authoring.pages import tab_context
from web.authoring.permissions import in_workspace, person
from web.authoring.queries import find_revision, list_revisions, read, read_revision
from web.authoring.saving import expected_revision, save
from web.authoring.services import files

PER_PAGE = 50
_NAMED_FILES = 6


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A revision, its changes to the first few files, and the number of other changed files."""

    revision: Revision
    files: Sequence[tuple[str, str]]
    more: int

    @classmethod
    def of(cls, revision: Revision) -> Self:
        """Return the row of `revision`."""
        changed = list(revision.changed.items())
        return cls(revision, changed[:_NAMED_FILES], len(changed[_NAMED_FILES:]))


@require_safe
@in_workspace()
def history(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """List the revisions that are kept, latest first."""
    page = Paginator(list_revisions(workspace), PER_PAGE).get_page(request.GET.get("page"))
    rows = [HistoryRow.of(found) for found in page]
    context = tab_context(request, workspace, "history", page=page, rows=rows)
    return render(request, "authoring/history.html", context)


@require_safe
@in_workspace()
def revision(request: HttpRequest, workspace: Workspace, number: int) -> HttpResponse:
    """Show the changes in a revision. With `?against=now`, show the changes since."""
    found = _revision_or_404(workspace, number)
    now = request.GET.get("against") == "now"
    before = workspace.revisions.filter(number__lt=number).first()
    old = read_revision(found) if now else (read_revision(before) if before else {})
    new = read(workspace) if now else read_revision(found)
    context = tab_context(
        request,
        workspace,
        "history",
        revision=found,
        before=before,
        now=now,
        differences=differences(old, new),
    )
    return render(request, "authoring/revision.html", context)


@require_POST
@in_workspace()
def restore(request: HttpRequest, workspace: Workspace, number: int) -> HttpResponse:
    """Restore the files of a revision."""
    _revision_or_404(workspace, number)
    try:
        files.restore(workspace, person(request), number, expected_revision=expected_revision(request))
    except files.Conflict:
        messages.error(request, "Another user saved in the meantime. Check the history, then restore again.")
    except files.FilesRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, f"Restored revision {number} as revision {workspace.revision}.")
    return redirect("author-history", workspace.slug)


@require_http_methods(["POST"])
@in_workspace()
def conflict(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Write the files that the user chose on the page of a conflict."""
    removed = set(request.POST.getlist("removed"))
    pairs = zip(request.POST.getlist("path"), request.POST.getlist("text"), strict=False)
    changes = {path: None if path in removed else text.replace("\r\n", "\n").encode() for path, text in pairs}
    back = request.POST.get("back", "")
    if not back.startswith(f"/author/{workspace.slug}/"):
        back = f"/author/{workspace.slug}"
    return save(request, workspace, changes, back=back, note="Merged after a conflict")


def _revision_or_404(workspace: Workspace, number: int) -> Revision:
    found = find_revision(workspace, number)
    if found is None:
        raise Http404("Revision not found.")
    return found
