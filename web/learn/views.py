"""Pages for learners: the primer, its tasks, the concepts."""

import re
import secrets
from collections.abc import Mapping

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from problems.vocabulary import Language, Mode
from web.catalog.access import problem_or_404
from web.learn import pages
from web.learn.tasks import PROBLEM, SIZE, TASKS, Task, draw_size
from web.site.concepts import CONCEPTS
from web.site.findings import page_of_finding
from web.site.readings import reading_of
from web.submissions import services
from web.submissions.models import PUBLIC_ID_CHARACTERS
from web.submissions.queries import TASK_KEY

_PUBLIC_ID = re.compile(f"[0-9A-Za-z]{{1,{PUBLIC_ID_CHARACTERS}}}")
_SESSION_KEY = "primer_runs"


@require_safe
def primer(request: HttpRequest) -> HttpResponse:
    """Show the primer. The query string names the run of each task; without it, the session does.

    With `restart` in the query string the tasks begin with their starters.
    """
    runs = _runs(request.GET)
    if not runs and "restart" not in request.GET:
        runs = _runs(request.session.get(_SESSION_KEY, {}))
    page = pages.primer_page(request.user, runs)
    return render(request, "learn/primer.html", {"page": page})


@require_POST
def run_task(request: HttpRequest, task: str) -> HttpResponse:
    """Run the program of a task, and lead back to the primer."""
    found = _task_or_404(task)
    if not request.user.is_authenticated:
        return redirect_to_login(f"{reverse('primer')}#task-{found.name}")
    runs = _runs(QueryDict(request.POST.get("runs", "")))
    source = request.POST.get("source", "")
    problem = problem_or_404(request.user, PROBLEM)
    try:
        submission = services.submit(
            request.user,
            problem,
            language=Language.CUDA,
            source=source,
            mode=Mode.RUN,
            sizes={SIZE: draw_size()},
            idempotency_key=f"{TASK_KEY}{secrets.token_hex(8)}",
        )
    except services.SubmissionRefused as refusal:
        page = pages.primer_page(request.user, runs, refused=found.name, source=source, refusal=str(refusal))
        return render(request, "learn/primer.html", {"page": page}, status=422)
    runs[found.name] = submission.public_id
    request.session[_SESSION_KEY] = runs
    return redirect(pages.address(runs, found))


@require_safe
@never_cache
@login_required
def task_result(request: HttpRequest, task: str, public_id: str) -> HttpResponse:
    """Show only the result of a task, or the live panel while there is none."""
    result = pages.task_result(request.user, _task_or_404(task), public_id)
    if result is None:
        raise Http404("Run not found.")
    return render(request, "learn/result.html", {"result": result})


@require_safe
def concept(request: HttpRequest, concept: str) -> HttpResponse:
    """Explain a concept, with the problems to practise it."""
    if concept not in CONCEPTS:
        raise Http404("Concept not found.")
    page = pages.concept_page(request.user, CONCEPTS[concept])
    return render(request, "learn/concept.html", {"page": page})


@require_safe
def reading(request: HttpRequest, reading: str) -> HttpResponse:
    """Show what to read before a problem of the curriculum."""
    found = reading_of(reading)
    if found is None:
        raise Http404("Reading not found.")
    return render(request, "learn/reading.html", {"page": pages.reading_page(request.user, found)})


@require_safe
def terms(request: HttpRequest) -> HttpResponse:
    """List the terms of GPU programming."""
    return render(request, "learn/terms.html", {"page": pages.terms_page()})


@require_safe
def findings(request: HttpRequest) -> HttpResponse:
    """List the kinds of findings that have a page."""
    return render(request, "learn/findings.html", {"pages": pages.finding_pages()})


@require_safe
def finding(request: HttpRequest, finding: str) -> HttpResponse:
    """Explain a kind of finding: the mistake, the correction and what to check."""
    found = page_of_finding(finding)
    if found is None:
        raise Http404("Finding not found.")
    return render(request, "learn/finding.html", {"page": pages.finding_page(found)})


def _task_or_404(name: str) -> Task:
    if name not in TASKS:
        raise Http404("Task not found.")
    return TASKS[name]


def _runs(named: Mapping[str, str]) -> dict[str, str]:
    """Return the possible public ids in `named`, by the names of their tasks."""
    runs = {name: named.get(name, "") for name in TASKS}
    return {name: run for name, run in runs.items() if _PUBLIC_ID.fullmatch(run)}
