"""The tabs with texts: generator and reference with a preview of cases, hints, and the editorial."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from problems.hints import HINT_FILES, MAX_HINT_CHARACTERS
from web.authoring import rights
from web.authoring.editing.cases import read_cases
from web.authoring.editing.document import DescriptionUnreadable
from web.authoring.forms.plain import TextForm, complaints
from web.authoring.forms.runs import PreviewForm
from web.authoring.models import ProofRun, RunKind, Workspace
from web.authoring.pages import description_of, tab_context
from web.authoring.permissions import in_workspace, person
from web.authoring.queries import find_run, latest_run, read_text
from web.authoring.saving import refused, save, wants_json
from web.authoring.services import runs
from web.authoring.statement_view import editorial_view

REFERENCE, EDITORIAL = "reference.py", "editorial.md"
_form = require_http_methods(["GET", "HEAD", "POST"])


@_form
@in_workspace()
def reference(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save the generator and the reference, with a preview of a case."""
    return _text_tab(
        request,
        workspace,
        "reference",
        REFERENCE,
        preview=PreviewForm(cases=_case_names(workspace)),
        run=latest_run(workspace, RunKind.PREVIEW),
    )


@_form
@in_workspace()
def hints(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save the hints, which learners open one by one."""
    sent = request.POST if request.method == "POST" else None
    filled = {
        path: TextForm(sent, prefix=f"hint-{number}", initial={"text": read_text(workspace, path)})
        for number, path in enumerate(HINT_FILES, start=1)
    }
    if sent is not None:
        if all(form.is_valid() for form in filled.values()):
            return save(request, workspace, {path: form.content() for path, form in filled.items()})
        if wants_json(request):
            reasons = [reason for form in filled.values() for reason in complaints(form)]
            return refused(request, workspace, reasons, back=request.path)
    context = tab_context(
        request, workspace, "hints", *HINT_FILES, hints=filled.items(), most_characters=MAX_HINT_CHARACTERS
    )
    return render(request, "authoring/hints.html", context, status=422 if sent else 200)


@_form
@in_workspace()
def editorial(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save the editorial, which learners see after solving the problem or giving up."""
    shown = editorial_view(workspace, read_text(workspace, EDITORIAL))
    return _text_tab(request, workspace, "editorial", EDITORIAL, html=shown)


@require_POST
@in_workspace()
def editorial_preview(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Return a fragment of the page with the editorial as learners will see it."""
    form = TextForm(request.POST)
    form.full_clean()
    text = str(form.cleaned_data.get("text", "")).replace("\r\n", "\n")
    return render(request, "authoring/editorial_preview.html", {"html": editorial_view(workspace, text)})


@require_POST
@in_workspace(write=rights.PROVE)
def preview_start(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Request a preview of a case from a worker.

    A script gets the part of the page that shows its progress.
    """
    form = PreviewForm(request.POST, cases=_case_names(workspace))
    if not form.is_valid():
        return _preview_answer(request, workspace, None, complaints(form))
    try:
        run = runs.preview(workspace, person(request), form.wanted())
    except runs.RunRefused as refusal:
        return _preview_answer(request, workspace, None, [str(refusal)])
    return _preview_answer(request, workspace, run, [])


@require_safe
@in_workspace()
def preview(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Show the progress and the result of a preview."""
    run = find_run(workspace, pk)
    if run is None or run.kind != RunKind.PREVIEW:
        raise Http404("Preview not found.")
    return render(request, "authoring/preview.html", {"workspace": workspace, "run": run})


def _text_tab(request: HttpRequest, workspace: Workspace, tab: str, path: str, **more: Any) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    form = TextForm(sent, initial={"text": read_text(workspace, path)})
    if sent is not None and form.is_valid():
        return save(request, workspace, {path: form.content()})
    if sent is not None and wants_json(request):
        return refused(request, workspace, complaints(form), back=request.path)
    context = tab_context(request, workspace, tab, path, form=form, path=path, **more)
    return render(request, f"authoring/{tab}.html", context, status=422 if sent else 200)


def _preview_answer(
    request: HttpRequest, workspace: Workspace, run: ProofRun | None, reasons: list[str]
) -> HttpResponse:
    if not request.headers.get("HX-Request"):
        if reasons:
            return refused(request, workspace, reasons, back=request.path.removesuffix("/preview"))
        return redirect("author-reference", workspace.slug)
    context = {"workspace": workspace, "run": run, "reasons": reasons}
    return render(request, "authoring/preview.html", context)


def _case_names(workspace: Workspace) -> list[str]:
    try:
        return [row.name for row in read_cases(description_of(workspace)) if row.name]
    except DescriptionUnreadable:
        return []
