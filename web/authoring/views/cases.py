"""The tab of cases: sizes by name, demands on a GPU, literal inputs of samples."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from problems.faults import PackageInvalid
from web.authoring.demands import Demand, chosen_gpu, demands, gpu_names
from web.authoring.editing.cases import read_cases, write_cases
from web.authoring.fault_fields import CASES, show_rows
from web.authoring.folders import load
from web.authoring.forms import cases as forms
from web.authoring.forms.confirming import without_removals
from web.authoring.models import Workspace
from web.authoring.pages import DESCRIPTION, description_of, needs_description, tab_context
from web.authoring.permissions import in_workspace
from web.authoring.saving import refused, save, wants_json


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace()
@needs_description
def cases(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Show and save the cases."""
    text = description_of(workspace)
    if request.method == "POST":
        if wants_json(request):
            return _save_rows(request, workspace, text)
        sizes, table = forms.sent(request.POST)
        if all((sizes.is_valid(), table.is_valid())):
            changed = write_cases(text, forms.rows_of(sizes, table))
            return save(request, workspace, {DESCRIPTION: changed.encode()})
        return _page(request, workspace, sizes, table, status=422)
    return _page(request, workspace, *forms.shown(read_cases(text)))


def _save_rows(request: HttpRequest, workspace: Workspace, text: str) -> HttpResponse:
    """Save the data that a script sends. Removed rows and renamed columns wait for the button."""
    sizes, table = forms.sent(without_removals(request.POST))
    complaints = [str(text) for text in sizes.errors.get("made_with", ())] or table.complaints()
    if complaints:
        return refused(request, workspace, complaints, back=request.path)
    changes = {DESCRIPTION: write_cases(text, table.rows()).encode()}
    return save(request, workspace, changes, renumbered=table.renumbered())


def _page(
    request: HttpRequest,
    workspace: Workspace,
    sizes: forms.SizesForm,
    table: forms.CaseSet,
    *,
    status: int = 200,
) -> HttpResponse:
    gpu = request.GET.get("gpu", "")
    asked = _demands(workspace, gpu)
    for form in table.forms:
        form.demand = asked.get(form["name"].value() or "")
    context = tab_context(
        request,
        workspace,
        "cases",
        "cases",
        sizes=sizes,
        table=table,
        gpu=chosen_gpu(gpu).name,
        gpus=gpu_names(),
    )
    show_rows(table.forms, context["faults"], "cases", CASES, "name")
    return render(request, "authoring/cases.html", context, status=status)


def _demands(workspace: Workspace, gpu: str) -> dict[str, Demand]:
    """Return the demands of the cases by name, or an empty dict while the package has faults."""
    try:
        return demands(load(workspace), chosen_gpu(gpu))
    except PackageInvalid:
        return {}
