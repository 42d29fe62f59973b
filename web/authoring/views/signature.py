"""The tab of the signature: the arguments of `solve`, and the starters in each language."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from web.authoring.editing.signature import read_arguments, write_arguments
from web.authoring.fault_fields import ARGUMENTS, show_rows
from web.authoring.forms import signature as forms
from web.authoring.forms.confirming import without_removals
from web.authoring.forms.plain import TextForm, complaints
from web.authoring.models import Workspace
from web.authoring.pages import DESCRIPTION, description_of, needs_description, tab_context
from web.authoring.permissions import in_workspace
from web.authoring.saving import refused, save, wants_json
from web.authoring.starters import FOLDER, Starter, path_of, starters_of
from web.authoring.tabs import tab_of

_form = require_http_methods(["GET", "HEAD", "POST"])


@_form
@in_workspace()
@needs_description
def signature(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save the arguments. A script's save removes none: see `forms.confirming`."""
    text = description_of(workspace)
    rows = read_arguments(text)
    if request.method == "POST":
        table = forms.sent(without_removals(request.POST) if wants_json(request) else request.POST)
        if table.is_valid():
            changed = write_arguments(text, [row for row in table.rows() if _known(row.came_from, len(rows))])
            return save(request, workspace, {DESCRIPTION: changed.encode()}, renumbered=table.renumbered())
        if wants_json(request):
            return refused(request, workspace, table.complaints(), back=request.path)
    else:
        table = forms.shown(rows)
    context = tab_context(
        request,
        workspace,
        "signature",
        "arguments",
        FOLDER,
        table=table,
        starters=starters_of(workspace),
    )
    own = [fault for fault in context["faults"] if tab_of(fault.place) == "signature"]
    show_rows(table.forms, own, "arguments", ARGUMENTS, "name")
    return render(request, "authoring/signature.html", context, status=422 if request.POST else 200)


@_form
@in_workspace()
@needs_description
def starter(request: HttpRequest, workspace: Workspace, language: str) -> HttpResponse:
    """Show and save the starter in a language. If it equals the derived one, its file is removed.

    The author may also choose the skeleton, or the derived one, which is nearly empty. A given program is a
    solution, and its page shows it.
    """
    found = _starter_or_404(workspace, language)
    if found.given:
        reasons = [f"{found.given.file} is the starter, because the problem gives it. Edit this solution."]
        back = reverse("author-solution", args=[workspace.slug, found.given.file])
        return refused(request, workspace, reasons, back=back)
    path = path_of(found.language)
    sent = request.POST if request.method == "POST" else None
    form = TextForm(sent, initial={"text": found.text})
    if sent is not None and form.is_valid():
        chosen = found.skeleton if "skeleton" in sent else None
        content = chosen.encode() if chosen else form.content()
        derived = "derive" in sent or content is None or content.decode() == found.derived
        return save(request, workspace, {path: None if derived else content})
    if sent is not None and wants_json(request):
        return refused(request, workspace, complaints(form), back=request.path)
    context = tab_context(
        request,
        workspace,
        "signature",
        path,
        form=form,
        found=found,
        path=path,
        back=reverse("author-signature", args=[workspace.slug]),
    )
    return render(request, "authoring/starter.html", context, status=422 if sent else 200)


def _starter_or_404(workspace: Workspace, language: str) -> Starter:
    for known in starters_of(workspace):
        if known.language.value == language:
            return known
    raise Http404("This problem has no starter in that language, or its signature has errors.")


def _known(came_from: int | None, count: int) -> bool:
    """Return whether the row's position exists.

    If not, the file changed in between, and the revision differs too.
    """
    return came_from is None or came_from < count
