"""What every page of a workspace shows beside its own: faults, open comments, and who may write."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from web.authoring import rights
from web.authoring.editing.document import DescriptionUnreadable
from web.authoring.faults import PackageFault, faults_at, faults_of
from web.authoring.models import Workspace
from web.authoring.queries import NotText, list_comments, read_text, sizes
from web.authoring.saving import refused, wants_json
from web.authoring.tabs import TABS

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
    """The context of the tab called `tab`. `places` are those whose faults it shows; see `faults_at`."""
    found = faults_of(workspace) if faults is None else faults
    files, there = next(known.files for known in TABS if known.name == tab), sizes(workspace)
    return {
        "workspace": workspace,
        "tab": tab,
        "may_edit": request.user.has_perm(rights.EDIT, workspace),
        "may_comment": request.user.has_perm(rights.COMMENT, workspace),
        "may_prove": request.user.has_perm(rights.PROVE, workspace),
        "faults": faults_at(found, *places) if places else (),
        "fault_count": len(found),
        "comment_files": [
            {"path": path, "open": open_comments(workspace, path)} for path in files if path in there
        ],
        **more,
    }


def open_comments(workspace: Workspace, path: str) -> int:
    """How many comments on a file wait for an answer."""
    return list_comments(workspace, path, resolved=False).count()


def description_of(workspace: Workspace) -> str:
    """The text of problem.toml, empty where it is no text. Forms of such a file are refused as broken.

    Raises:
        DescriptionUnreadable: it is no text.
    """
    try:
        return read_text(workspace, DESCRIPTION)
    except NotText as error:
        raise DescriptionUnreadable(str(error), 1) from error


def needs_description(view: View[P]) -> Callable[..., HttpResponse]:
    """Answer with the page that says what is wrong, where problem.toml cannot be shown as a form."""

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
