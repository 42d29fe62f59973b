"""The tab of the proof: a button, live progress, and a report that says what to change."""

from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from web.authoring import rights
from web.authoring.editing.document import DescriptionUnreadable, read_document
from web.authoring.editing.solutions import read_solutions, write_solutions
from web.authoring.forms.runs import ProofForm
from web.authoring.models import ProofRun, RunKind, Workspace
from web.authoring.mutant_solutions import FOLDER, is_taken, made_from
from web.authoring.pages import DESCRIPTION, description_of, needs_description, tab_context
from web.authoring.permissions import in_workspace, person
from web.authoring.proof_page import proof_page
from web.authoring.queries import find_run, latest_run, present_revision, sizes
from web.authoring.saving import save
from web.authoring.services import runs
from web.site.htmx_request import PageRequest

EARLIER = 20


@require_safe
@in_workspace()
def proof(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show the latest proof. htmx gets the part that changes, and reloads the page when the proof is over."""
    return _answer(request, workspace, latest_run(workspace))


@require_safe
@in_workspace()
def run(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Show an earlier proof."""
    return _answer(request, workspace, _run_or_404(workspace, pk))


@require_POST
@in_workspace(write=rights.PROVE)
def prove(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Request a proof of the current files from a worker."""
    form = ProofForm(request.POST)
    gpu = form.cleaned_data["gpu"] if form.is_valid() else ""
    try:
        runs.prove(workspace, person(request), gpu=gpu)
    except runs.RunRefused as refusal:
        messages.error(request, str(refusal))
    return redirect("author-proof", workspace.slug)


@require_POST
@in_workspace(write=rights.PROVE)
def cancel(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Cancel a proof."""
    found = _run_or_404(workspace, pk)
    if not runs.cancel(found):
        messages.error(request, "Already finished.")
    return redirect("author-proof", workspace.slug)


@require_POST
@in_workspace()
@needs_description
def mutant(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Make a wrong solution from a mutant of a proof, and open its source."""
    program, _, name = request.POST.get("mutant", "").partition(":")
    made = made_from(_run_or_404(workspace, pk), program, name)
    if made is None:
        messages.error(request, "This proof has no such mutant. Reload the page.")
        return redirect("author-proof-run", workspace.slug, pk)
    back = reverse("author-solution", args=[workspace.slug, made.row.file])
    if is_taken(made, sizes(workspace)):
        messages.info(request, f"{made.row.file} was already made from this mutant.")
        return redirect(back)
    text = description_of(workspace)
    changes = {
        DESCRIPTION: write_solutions(text, [*read_solutions(text), made.row]).encode(),
        f"{FOLDER}{made.row.file}": made.source.encode(),
    }
    if made.survived:
        messages.warning(request, "All cases accept this program. Add a case that fails it.")
    return save(request, workspace, changes, back=back)


def _answer(request: HttpRequest, workspace: Workspace, found: ProofRun | None) -> HttpResponse:
    page = proof_page(found, present_revision(workspace)) if found else None
    context: dict[str, Any] = {"workspace": workspace, "page": page, "run": found}
    if cast("PageRequest", request).htmx:
        if page is None or not page.moving:  # the whole page changes: the problem's state, the list of proofs
            return HttpResponseClientRefresh()
        context["may_prove"] = request.user.has_perm(rights.PROVE, workspace)
        return render(request, "authoring/proof_state.html", context)
    earlier = workspace.runs.filter(kind=RunKind.PROOF).select_related("revision", "by").defer("report")
    context |= tab_context(
        request, workspace, "proof", form=ProofForm(), earlier=earlier[:EARLIER], broken=_broken(workspace)
    )
    return render(request, "authoring/proof.html", context)


def _broken(workspace: Workspace) -> str:
    """Return why problem.toml can't be read, or an empty string."""
    try:
        read_document(description_of(workspace))
    except DescriptionUnreadable as error:
        return f"line {error.line}: {error}"
    return ""


def _run_or_404(workspace: Workspace, pk: int) -> ProofRun:
    found = find_run(workspace, pk)
    if found is None or found.kind != RunKind.PROOF:
        raise Http404("Proof not found.")
    return found
