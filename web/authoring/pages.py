"""The context that all pages of a workspace share: faults, open comments, and write access."""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from problems.vocabulary import Severity
from web.authoring import rights
from web.authoring.editing.document import DescriptionUnreadable
from web.authoring.faults import PackageFault, faults_at, faults_of
from web.authoring.models import Workspace
from web.authoring.queries import NotText, list_comments, present_revision, read_text, sizes
from web.authoring.recommending import latest_proof
from web.authoring.saving import refused, wants_json
from web.authoring.tabs import TABS, tab_of

DESCRIPTION = "problem.toml"
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Workspace, P], HttpResponse]


def tab_context(
    request: HttpRequest,
    workspace: Workspace,
    tab: str,
    *places: str,
    faults: tuple[PackageFault, ...] | None = None,
    **more: object,
) -> dict[str, Any]:
    """Return the context of the tab `tab`. It shows the faults at `places`; see `faults_at`."""
    found = faults_of(workspace) if faults is None else faults
    by_tab = Counter(tab_of(fault.place) or "files" for fault in found)
    files, there = next(known.files for known in TABS if known.name == tab), sizes(workspace)
    return {
        "workspace": workspace,
        "tab": tab,
        "may_edit": request.user.has_perm(rights.EDIT, workspace),
        "may_comment": request.user.has_perm(rights.COMMENT, workspace),
        "may_prove": request.user.has_perm(rights.PROVE, workspace),
        "faults": faults_at(found, *places) if places else (),
        "fault_count": len(found),
        "tab_errors": by_tab or _proved_errors(workspace),
        "comment_files": [
            {"path": path, "open": open_comments(workspace, path)} for path in files if path in there
        ],
        **more,
    }


def _proved_errors(workspace: Workspace) -> Counter[str]:
    """Return the number of errors that the latest proof of exactly these files found, by tab."""
    revision = present_revision(workspace)
    proof = latest_proof(workspace, revision.content_hash) if revision else None
    errors = [f for f in proof.findings if f.severity is Severity.ERROR] if proof else []
    return Counter(tab_of(finding.place) or "proof" for finding in errors)


def open_comments(workspace: Workspace, path: str) -> int:
    """Return the number of unresolved comments on a file."""
    return list_comments(workspace, path, resolved=False).count()


def description_of(workspace: Workspace) -> str:
    """Return the text of problem.toml. A form for a file that is not text is refused as broken.

    Raises:
        DescriptionUnreadable: it is not text.
    """
    try:
        return read_text(workspace, DESCRIPTION)
    except NotText as error:
        raise DescriptionUnreadable(str(error), 1) from error


def needs_description(view: View[P]) -> Callable[..., HttpResponse]:
    """Return a view that answers with an error page if problem.toml can't be shown as a form."""

    @wraps(view)
    def enter(request: HttpRequest, workspace: Workspace, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, workspace, *args, **kwargs)
        except DescriptionUnreadable as error:
            text = f"problem.toml is invalid, line {error.line}: {error}"
            if wants_json(request):
                return refused(request, workspace, [text], back=request.path)
            context = {"workspace": workspace, "error": str(error), "line": error.line}
            return render(request, "authoring/broken.html", context, status=422)

    return enter
