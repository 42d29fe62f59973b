"""The tab of solutions: programs with the verdicts that they must get, and their sources."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from problems.vocabulary import Language
from web.authoring.differing import language_of
from web.authoring.editing.solutions import SolutionRow, read_solutions, write_solutions
from web.authoring.fault_fields import SOLUTIONS, show_rows
from web.authoring.forms import solutions as forms
from web.authoring.forms.confirming import without_removals
from web.authoring.forms.plain import TextForm
from web.authoring.models import Workspace
from web.authoring.pages import DESCRIPTION, description_of, needs_description, open_comments, tab_context
from web.authoring.permissions import in_workspace
from web.authoring.queries import read_text, sizes
from web.authoring.recommending import latest_outcomes
from web.authoring.saving import refused, save, wants_json
from web.authoring.views.trials import start

FOLDER = "solutions/"
_form = require_http_methods(["GET", "HEAD", "POST"])


@_form
@in_workspace()
@needs_description
def solutions(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save all solutions.

    Removing a row removes its file. A new row creates a file with a note only. A script's save removes
    nothing: see `web.authoring.forms.confirming`.
    """
    text = description_of(workspace)
    if request.method == "POST":
        table = forms.sent(without_removals(request.POST) if wants_json(request) else request.POST)
        if table.is_valid():
            rows = table.rows()
            changes: dict[str, bytes | None] = {DESCRIPTION: write_solutions(text, rows).encode()}
            changes |= _files(workspace, read_solutions(text), rows)
            return save(request, workspace, changes, renumbered=table.renumbered())
        if wants_json(request):
            return refused(request, workspace, table.complaints(), back=request.path)
    else:
        table = forms.shown(read_solutions(text))
    outcomes, there = latest_outcomes(workspace), sizes(workspace)
    for form in table.forms:
        source = f"{FOLDER}{form['file'].value()}"
        form.latest, form.has_source = outcomes.get(source), source in there
    context = tab_context(
        request,
        workspace,
        "solutions",
        "solutions",
        FOLDER,
        table=table,
        languages=_languages(read_solutions(text)),
        undeclared=_undeclared(workspace, text),
    )
    show_rows(table.forms, context["faults"], "solutions", SOLUTIONS, "file")
    return render(request, "authoring/solutions.html", context, status=422 if request.POST else 200)


@_form
@in_workspace()
def solution(request: HttpRequest, workspace: Workspace, file: str) -> HttpResponse:
    """Show and save the source of a solution. *Save and run* also requests a trial of it."""
    path = f"{FOLDER}{file}"
    if path not in sizes(workspace):
        raise Http404("Solution not found.")
    sent = request.POST if request.method == "POST" else None
    form = TextForm(sent, initial={"text": read_text(workspace, path)})
    if sent is not None and form.is_valid():
        saved = save(request, workspace, {path: form.content() or b"\n"})
        wanted = "run" in request.POST and saved.status_code == 302
        return start(request, workspace, file=file) if wanted else saved
    if sent is not None and wants_json(request):
        return refused(request, workspace, [str(form.errors)], back=request.path)
    context = tab_context(
        request,
        workspace,
        "solutions",
        path,
        form=form,
        file=file,
        path=path,
        language=language_of(file),
        latest=latest_outcomes(workspace).get(path),
        open_comments=open_comments(workspace, path),
        back=reverse("author-solutions", args=[workspace.slug]),
    )
    return render(request, "authoring/solution.html", context, status=422 if sent else 200)


def _files(
    workspace: Workspace, before: tuple[SolutionRow, ...], rows: list[SolutionRow]
) -> dict[str, bytes | None]:
    """Return the changes to files that follow from the changed table. Renaming a row renames its file."""
    there = sizes(workspace)
    changes: dict[str, bytes | None] = {}
    kept = {row.came_from for row in rows if row.came_from is not None}
    names = {row.file for row in rows}
    for old in before:
        path = f"{FOLDER}{old.file}"
        if old.came_from not in kept and old.file not in names and path in there:
            changes[path] = None
    for row in rows:
        path = f"{FOLDER}{row.file}"
        if path in there:
            continue
        old_name = _former_name(row, before)
        moved = old_name and old_name not in names and f"{FOLDER}{old_name}" in there
        if moved:
            changes[path] = read_text(workspace, f"{FOLDER}{old_name}").encode()
            changes[f"{FOLDER}{old_name}"] = None
        else:
            changes[path] = _begun(row)
    return changes


def _former_name(row: SolutionRow, before: tuple[SolutionRow, ...]) -> str:
    if row.came_from is None or row.came_from >= len(before):
        return ""
    return before[row.came_from].file


def _begun(row: SolutionRow) -> bytes:
    sign = "//" if language_of(row.file) == "cuda" else "#"
    return f"{sign} {row.note}\n".encode()


def _undeclared(workspace: Workspace, text: str) -> list[str]:
    declared = {f"{FOLDER}{row.file}" for row in read_solutions(text)}
    there = (path for path in sizes(workspace) if path.startswith(FOLDER))
    return [path.removeprefix(FOLDER) for path in there if path not in declared]


def _languages(rows: tuple[SolutionRow, ...]) -> list[str]:
    """Return the languages of the solutions, in the order of the table."""
    found = (Language.of_file(row.file) for row in rows)
    return list(dict.fromkeys(language.value for language in found if language))
