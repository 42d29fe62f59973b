"""Trials: one solution, or all of a language, run without a proof."""

from typing import cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from problems.vocabulary import Language
from web.authoring import rights
from web.authoring.models import ProofRun, RunKind, Workspace
from web.authoring.pages import tab_context
from web.authoring.permissions import in_workspace, person
from web.authoring.proof_page import proof_page
from web.authoring.queries import find_run, present_revision
from web.authoring.services import runs
from web.site.htmx_request import PageRequest


@require_POST
@in_workspace(write=rights.PROVE)
def trial_start(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Request a run of the solution `file`, or of all solutions in `language`."""
    file, language = request.POST.get("file", ""), request.POST.get("language", "")
    return start(request, workspace, file=file, language=language)


@require_safe
@in_workspace()
def trial(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Show a trial. htmx gets the part that changes, and reloads the page when the trial is over."""
    run = _trial_or_404(workspace, pk)
    page = proof_page(run, present_revision(workspace))
    context = {"workspace": workspace, "page": page, "run": run}
    if cast("PageRequest", request).htmx:
        if not page.moving:
            return HttpResponseClientRefresh()
        context["may_prove"] = request.user.has_perm(rights.PROVE, workspace)
        return render(request, "authoring/trial_state.html", context)
    context |= tab_context(request, workspace, "solutions", again=_language_of(run))
    return render(request, "authoring/trial.html", context)


@require_POST
@in_workspace(write=rights.PROVE)
def trial_cancel(request: HttpRequest, workspace: Workspace, pk: int) -> HttpResponse:
    """Cancel a trial."""
    if not runs.cancel(_trial_or_404(workspace, pk)):
        messages.error(request, "Already finished.")
    return redirect("author-trial", workspace.slug, pk)


def start(request: HttpRequest, workspace: Workspace, *, file: str = "", language: str = "") -> HttpResponse:
    """Request a trial and redirect to it. If it is refused, redirect to where the author can act."""
    try:
        run = runs.try_solutions(workspace, person(request), file=file, language=language)
    except runs.RunRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("author-solutions", workspace.slug)
    return redirect("author-trial", workspace.slug, run.pk)


def _language_of(run: ProofRun) -> str:
    """Return the language of a run of several solutions. Empty if it ran a single one."""
    files = run.wanted.get("files", [])
    language = Language.of_file(files[0]) if len(files) > 1 else None
    return language.value if language else ""


def _trial_or_404(workspace: Workspace, pk: int) -> ProofRun:
    found = find_run(workspace, pk)
    if found is None or found.kind != RunKind.TRIAL:
        raise Http404("Run not found.")
    return found
